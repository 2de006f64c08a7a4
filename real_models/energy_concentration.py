"""R_energy in a transformer: is gradient energy concentrated in the tangent proxy of the activations?

Q_T is fitted by PCA on activations of the fit split, pooled over the checkpoints of an explicit window, one per layer
(and per linear map, on that map's own input), and then fixed. At every checkpoint, on the measurement split:

- ``hidden-state-energy-ratio`` and its ``-centred`` form: R of ∂L/∂h, the default evidence;
- ``hidden-state-covariance-matched``: the same R, with its p-value among subspaces drawn with the activations' own
  covariance: is it more than "directions of high variance"?
- ``weight-energy-ratio:<map>``: R of the input side of the per-token weight gradients δ xᵀ;
- ``activation-energy-ratio`` and ``activation-energy-ratio:<map>``: R of the activations h and of the map's inputs x,
  the confound; without p-value, since Q_T is fitted to activations and no null of independence applies;
- each gradient's ``-cap``: the R of the best subspace of that rank, and ``-complement-z``: by how many standard
  deviations the tangent energy exceeds the mean over matched random subspaces of the complement (the paper's control;
  descriptive, since their law is not normal).

Verdicts on the claim as stated, at a false-alarm rate of `FALSE_ALARM_RATE` over all cells of a quantity together
(Bonferroni, half of it on either side): supports if R > 1 with a calibrated p-value (Haar subspaces of R^d) below the
level, refutes if R < 1 with a lower tail below it. A PCA of x captures the energy of δ xᵀ by construction, with or
without learning, so a weight gradient supports only if its R also exceeds that of x, at the same level. Only
checkpoints after the fit window are judged: activations that Q_T was fitted on have moved along the gradients of the
checkpoints before them (at step 0, R is above 1 with such a Q_T), so that there R says nothing about where gradients
go. Intervals are jackknives over blocks of text: they tell how R varies with the text, the p-values whether Q_T
matters.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from manifoldtheory.ledger import Evidence, Form, Kind, Progress, Verdict
from manifoldtheory.ledger.evidence import FALSE_ALARM_RATE
from proofs.energy_concentration import CLAIM
from real_models.checkpoints import step_name
from real_models.intervals import LogEstimate, jackknife_log
from real_models.study import DTYPE, Study
from real_models.verdicts import (
    ERROR_MARGIN,
    LEAST_EFFECTIVE_DRAWS,
    MATCHED_DRAWS,
    cell_generator,
    concentration,
    exceeds_activations,
    ratio_of,
)

if TYPE_CHECKING:
    import torch

    from manifoldtheory.estimators import SecondMoment, TangentProxy
    from real_models.capture import LayerMoments, TextMoments

__all__ = ["CLAIM", "observe"]

HIDDEN = "hidden-state-energy-ratio"
CENTRED = "hidden-state-energy-ratio-centred"
MATCHED = "hidden-state-covariance-matched"
WEIGHT = "weight-energy-ratio"
ACTIVATION = "activation-energy-ratio"
CAP = "-cap"
CONTROL = "-complement-z"
NON_FINITE = "non-finite"
LOSS = "held-out-loss"


@dataclass(frozen=True)
class Proxy:
    """A fixed tangent proxy, and the pooled activations that it was fitted on."""

    tangent: "TangentProxy"
    activations: "SecondMoment"


Proxies = Mapping[tuple[str, str | None], Proxy | None]
"""By layer, and by layer and linear map; ``None`` where too few finite activations were seen to fit one."""


def observe(study: Study, progress: Progress) -> list[Evidence]:
    """All evidence of one study: trains if need be, fits the proxies, then measures every checkpoint."""
    import torch

    from real_models.capture import capture
    from real_models.tokenisation import special_tokens

    with study.checkpoints(progress) as checkpoints:
        model = checkpoints.model(study.torch_device, torch.float32)
        moments = partial(capture, model, study.architecture, special=special_tokens(checkpoints.tokenizer))
        work = len(study.fit_steps) + len(study.steps)
        evidence: list[Evidence] = []
        fits: list[TextMoments] = []
        batches = study.fit_text(checkpoints)
        for done, step in enumerate(study.fit_steps):
            progress(f"fitting tangent proxies: step {step}", done, work)
            checkpoints.load(model, step)
            fits.append(moments(batches, gradients=False))
            evidence += _non_finite(study, step, fits[-1:], bin="fit")
        proxies = fit_proxies(fits, study.rank)
        blocks = study.measurement_text(checkpoints)
        for done, step in enumerate(study.steps, len(study.fit_steps)):
            progress(f"measuring gradients: step {step}", done, work)
            checkpoints.load(model, step)
            evidence += measure(study, step, [moments(block) for block in blocks], proxies)
        progress("measured every checkpoint", work, work)
    return evidence


def fit_proxies(texts: Sequence["TextMoments"], rank: int) -> Proxies:
    """Proxies of the activations pooled over texts (one per checkpoint of the fit window): PCA about their mean."""
    proxies: dict[tuple[str, str | None], Proxy | None] = {}
    for layer, first in texts[0].layers.items():
        layers = [text.layers[layer] for text in texts]
        proxies[layer, None] = _fit([moments.activations for moments in layers], rank)
        for name in first.maps:
            proxies[layer, name] = _fit([moments.maps[name].inputs for moments in layers], rank)
    return proxies


def _fit(moments: Sequence["SecondMoment"], rank: int) -> Proxy | None:
    from manifoldtheory.estimators import fit_tangent_proxy, pooled

    activations = pooled(moments)
    return Proxy(fit_tangent_proxy(activations, rank), activations) if activations.count > rank else None


def measure(study: Study, step: int, texts: Sequence["TextMoments"], proxies: Proxies) -> list[Evidence]:
    """Evidence of one checkpoint from the moments of its blocks of measurement text."""
    losses, targets = sum(text.loss for text in texts), sum(text.targets for text in texts)
    loss = losses / targets if targets and math.isfinite(losses) else None
    evidence = [_record(study, step, LOSS, measured=loss, n=targets)]
    evidence += _non_finite(study, step, texts)
    for layer in texts[0].layers:
        cell = _Cell(study, step, layer, len(texts[0].layers), [text.layers[layer] for text in texts])
        evidence += cell.hidden_states(proxies[layer, None])
        for name in cell.blocks[0].maps:
            evidence += cell.weights(name, proxies[layer, name])
    return evidence


@dataclass(frozen=True)
class _Cell:
    """One checkpoint and layer, in blocks of text. Where anything in it was not finite, its numbers are left out."""

    study: Study
    step: int
    layer: str
    layers: int
    blocks: list["LayerMoments"]

    def hidden_states(self, proxy: Proxy | None) -> list[Evidence]:
        """Records of the hidden state's gradients and of the activations."""
        if proxy is None or self.is_broken:
            return self.missing(HIDDEN) + self.missing(CENTRED) + [self.record(MATCHED), self.record(ACTIVATION)]
        gradients = [block.gradients for block in self.blocks]
        plain = self.gradient(HIDDEN, gradients, proxy, 1)
        centred = self.gradient(CENTRED, gradients, proxy, 1, centered=True)
        matched = self.covariance_matched(gradients, proxy, plain[0])
        activations = self.activation(ACTIVATION, [block.activations for block in self.blocks], proxy)
        return [*plain, *centred, matched, activations]

    def weights(self, name: str, proxy: Proxy | None) -> list[Evidence]:
        """Records of a linear map's per-token weight gradients and of its inputs."""
        quantity, confound = f"{WEIGHT}:{name}", f"{ACTIVATION}:{name}"
        if proxy is None or self.is_broken:
            return [*self.missing(quantity), self.record(confound)]
        gradients = [block.maps[name].gradients for block in self.blocks]
        inputs = [block.maps[name].inputs for block in self.blocks]
        maps = len(self.blocks[0].maps)
        record, *beside = self.gradient(quantity, gradients, proxy, maps)
        if record.verdict == Verdict.SUPPORTS and not exceeds_activations(
            gradients, inputs, proxy.tangent, self.level(maps)
        ):
            record = replace(record, verdict=Verdict.INCONCLUSIVE)
        return [record, *beside, self.activation(confound, inputs, proxy)]

    def gradient(
        self, quantity: str, blocks: list["SecondMoment"], proxy: Proxy, per_layer: int, *, centered: bool = False
    ) -> list[Evidence]:
        """R of a gradient, its verdict among all cells of its quantity (`per_layer` at each layer), cap and control."""
        from manifoldtheory.estimators import energy_cap, pooled

        found = concentration(blocks, proxy.tangent, centered=centered, generator=self.generator(quantity))
        judged = self.step > max(self.study.fit_steps)
        verdict = found.verdict(self.level(per_layer)) if judged else Verdict.INCONCLUSIVE
        record = self.ratio(quantity, found.ratio, blocks, p_value=found.upper_tail, verdict=verdict)
        cap = energy_cap(pooled(blocks), self.study.rank, centered=centered)
        return [
            record,
            self.record(quantity + CAP, measured=cap, n=record.n),
            self.record(quantity + CONTROL, measured=found.z_complement, n=record.n),
        ]

    def missing(self, quantity: str) -> list[Evidence]:
        """The records of a gradient whose numbers are left out."""
        return [self.record(quantity + suffix) for suffix in ("", CAP, CONTROL)]

    def covariance_matched(self, blocks: list["SecondMoment"], proxy: Proxy, plain: Evidence) -> Evidence:
        """The plain record with the p-value of the stricter null. Failing it refutes nothing."""
        from manifoldtheory.estimators import covariance_matched_tail, pooled

        covariance, generator = proxy.activations.covariance, self.generator(MATCHED)
        tail = covariance_matched_tail(
            pooled(blocks), proxy.tangent, covariance, draws=MATCHED_DRAWS, generator=generator
        )
        resolved = tail.effective_draws >= LEAST_EFFECTIVE_DRAWS
        significant = resolved and tail.probability + ERROR_MARGIN * tail.stderr < self.level(1)
        verdict = Verdict.SUPPORTS if significant and plain.verdict == Verdict.SUPPORTS else Verdict.INCONCLUSIVE
        return replace(plain, quantity=MATCHED, p_value=tail.probability, verdict=verdict)

    def activation(self, quantity: str, blocks: list["SecondMoment"], proxy: Proxy) -> Evidence:
        """R of activations: what a gradient's R is held against, and no evidence by itself."""
        estimate = jackknife_log(blocks, lambda some: ratio_of(some, proxy.tangent))
        return self.ratio(quantity, estimate, blocks)

    def ratio(self, quantity: str, estimate: LogEstimate, blocks: list["SecondMoment"], **fields: Any) -> Evidence:
        lower, upper = estimate.interval
        count = sum(block.count for block in blocks)
        numbers = {"measured": estimate.value, "stderr": estimate.stderr, "lower": lower, "upper": upper, "n": count}
        return self.record(quantity, **numbers, **fields)

    @property
    def is_broken(self) -> bool:
        return any(block.non_finite for block in self.blocks)

    def level(self, per_layer: int) -> float:
        """Significance level of one cell, for `per_layer` cells at every layer and checkpoint."""
        return FALSE_ALARM_RATE / (2 * len(self.study.steps) * self.layers * per_layer)

    def generator(self, quantity: str) -> "torch.Generator":
        return cell_generator(self.study.seed, step_name(self.step), self.layer, quantity)

    def record(self, quantity: str, **numbers: Any) -> Evidence:
        return _record(self.study, self.step, quantity, layer=self.layer, **numbers)


def _non_finite(study: Study, step: int, texts: Sequence["TextMoments"], bin: str | None = None) -> list[Evidence]:
    """One record for every layer where tokens were NaN or infinite, with their number."""
    counts = {layer: sum(text.layers[layer].non_finite for text in texts) for layer in texts[0].layers}
    return [
        _record(study, step, NON_FINITE, layer=layer, measured=float(count), bin=bin)
        for layer, count in counts.items()
        if count
    ]


def _record(study: Study, step: int, quantity: str, verdict: Verdict = Verdict.INCONCLUSIVE, **fields: Any) -> Evidence:
    return Evidence(
        claim=CLAIM.slug,
        kind=Kind.OBSERVATION,
        statement=Form.AS_STATED,
        verdict=verdict,
        quantity=quantity,
        subject=study.name,
        checkpoint=step_name(step),
        seed=study.seed,
        device=study.torch_device.type,
        dtype=DTYPE,
        **fields,
    )
