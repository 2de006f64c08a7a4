"""The observation end to end on a tiny model, and its verdicts on moments made up for the purpose."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from manifoldtheory.estimators import SecondMoment, energy_cap, energy_ratio
from manifoldtheory.ledger import Evidence, Form, Kind, Verdict, silent
from real_models.capture import LayerMoments, MapMoments, TextMoments, capture
from real_models.checkpoints import CheckpointFolder
from real_models.corpora import Corpus
from real_models.energy_concentration import _Cell, fit_proxies, measure, observe
from real_models.fit_windows import FitWindow
from real_models.study import BLOCKS, Study

from .conftest import CPU

GRADIENTS = (
    "hidden-state-energy-ratio",
    "hidden-state-energy-ratio-centred",
    "weight-energy-ratio:attention.query_key_value",
    "weight-energy-ratio:mlp.dense_h_to_4h",
)
CONFOUNDS = (
    "activation-energy-ratio",
    "activation-energy-ratio:attention.query_key_value",
    "activation-energy-ratio:mlp.dense_h_to_4h",
)
MATCHED = "hidden-state-covariance-matched"


@pytest.fixture(scope="module")
def study(tiny: CheckpointFolder, small_corpus: Corpus) -> Study:
    return Study("tiny", tiny, small_corpus, 0, "cpu", 4, FitWindow(steps=(1, 2)), "default")


@pytest.fixture(scope="module")
def progress() -> list[tuple[int, int]]:
    """What `evidence` reported on its way: units done and in all."""
    return []


@pytest.fixture(scope="module")
def evidence(study: Study, progress: list[tuple[int, int]]) -> list[Evidence]:
    return observe(study, lambda message, done, total: progress.append((done, total)))


def at(evidence: list[Evidence], quantity: str, step: int, layer: str | None) -> Evidence:
    (found,) = (
        record
        for record in evidence
        if (record.quantity, record.checkpoint, record.layer) == (quantity, f"step-{step}", layer)
    )
    return found


def test_every_cell_has_every_quantity_once(evidence: list[Evidence]) -> None:
    cells = {(record.checkpoint, record.layer) for record in evidence if record.layer}
    assert cells == {(f"step-{step}", f"layers.{layer}") for step in range(4) for layer in range(2)}
    quantities = {
        *GRADIENTS,
        *(f"{name}{suffix}" for name in GRADIENTS for suffix in ("-cap", "-complement-z")),
        *CONFOUNDS,
        MATCHED,
    }
    assert len(evidence) == len(cells) * len(quantities) + 4
    assert {record.quantity for record in evidence} == {*quantities, "held-out-loss"}
    assert all(record.kind == Kind.OBSERVATION and record.statement == Form.AS_STATED for record in evidence)


def test_numbers_are_finite_ordered_and_below_the_cap(evidence: list[Evidence]) -> None:
    for record in evidence:
        if record.quantity in GRADIENTS:
            assert record.measured is not None
            assert record.lower is not None
            assert record.upper is not None
            assert record.lower <= record.measured <= record.upper
            assert record.p_value is not None
            step = int(str(record.checkpoint).removeprefix("step-"))
            cap = at(evidence, f"{record.quantity}-cap", step, record.layer).measured
            assert cap is not None
            assert record.measured <= cap
        if record.quantity in CONFOUNDS:
            assert record.p_value is None


def test_the_ratio_is_that_of_the_estimators(study: Study, tiny: CheckpointFolder, evidence: list[Evidence]) -> None:
    model = tiny.model(CPU, torch.float32)
    pooled = SecondMoment(32)
    for step in (1, 2):
        tiny.load(model, step)
        fitted = capture(model, study.architecture, study.fit_text(tiny), special=(0,), gradients=False)
        pooled.merge(fitted.layers["layers.1"].activations)
    directions = torch.linalg.eigh(pooled.covariance).eigenvectors[:, -4:]
    tiny.load(model, 3)
    batches = [batch for block in study.measurement_text(tiny) for batch in block]
    gradients = capture(model, study.architecture, batches, special=(0,)).layers["layers.1"].gradients
    inside = torch.trace(directions.T @ gradients.second_moment @ directions)
    outside = torch.trace(gradients.second_moment) - inside
    record = at(evidence, GRADIENTS[0], 3, "layers.1")
    assert record.measured == pytest.approx(float(inside / 4 / (outside / 28)), rel=1e-9)
    assert record.n == gradients.count
    cap = at(evidence, f"{GRADIENTS[0]}-cap", 3, "layers.1")
    assert cap.measured == pytest.approx(energy_cap(gradients, 4))


def test_the_loss_is_that_of_held_out_text(study: Study, tiny: CheckpointFolder, evidence: list[Evidence]) -> None:
    losses = [at(evidence, "held-out-loss", step, None).measured for step in range(4)]
    assert losses[0] == pytest.approx(float(torch.tensor(tiny.config.vocab_size).log()), rel=0.02)
    assert losses[3] < losses[0]  # type: ignore[operator]


def test_a_seed_gives_the_same_evidence_again(study: Study, evidence: list[Evidence]) -> None:
    assert observe(study, silent) == evidence


def test_an_untrained_model_supports_and_refutes_nothing(evidence: list[Evidence]) -> None:
    first = [record for record in evidence if record.checkpoint == "step-0"]
    assert {record.verdict for record in first} == {Verdict.INCONCLUSIVE}


def test_an_untrained_model_fitted_on_itself_shows_no_concentration(study: Study) -> None:
    """The null of the whole chain: at initialisation no gradient follows the activations (false alarm 1e-3)."""
    alone = observe(replace(study, fit_window=FitWindow(steps=(0,))), silent)
    for layer in ("layers.0", "layers.1"):
        record = at(alone, GRADIENTS[0], 0, layer)
        assert record.p_value is not None
        assert record.p_value > 1e-3
        weights = at(alone, GRADIENTS[2], 0, layer)
        assert weights.p_value is not None
        assert weights.p_value < 1e-3  # the confound: high without any learning


def test_progress_covers_fit_and_measurement(evidence: list[Evidence], progress: list[tuple[int, int]]) -> None:
    assert progress == [(done, 6) for done in range(7)]


def test_a_broken_checkpoint_is_marked_and_the_rest_goes_on(
    study: Study, tiny: CheckpointFolder, tmp_path: Path, evidence: list[Evidence]
) -> None:
    for path in tiny.path.rglob("*"):
        if path.is_file():
            target = tmp_path / path.relative_to(tiny.path)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    weights = load_file(tiny.weights_path(3))
    weights["gpt_neox.layers.1.mlp.dense_4h_to_h.weight"][0, 0] = torch.nan
    save_file(weights, tmp_path / "step-3" / "model.safetensors")
    found = observe(replace(study, source=CheckpointFolder(tmp_path)), silent)
    marked = at(found, "non-finite", 3, "layers.1")
    assert marked.measured == at(evidence, GRADIENTS[0], 3, "layers.1").n
    for quantity in (*GRADIENTS, *CONFOUNDS, MATCHED):
        record = at(found, quantity, 3, "layers.1")
        assert record.measured is None
        assert record.verdict == Verdict.INCONCLUSIVE
    assert at(found, "held-out-loss", 3, None).to_dict()["measured"] is None
    rest = [record for record in found if record.checkpoint != "step-3"]
    assert rest == [record for record in evidence if record.checkpoint != "step-3"]


def test_a_checkpoint_broken_in_the_fit_window_leaves_the_others_to_fit_on(study: Study) -> None:
    good = torch.randn(50, 8, generator=torch.Generator().manual_seed(0))
    whole = TextMoments({"layers.0": LayerMoments(SecondMoment(8).update(good), SecondMoment(8), {})})
    broken = TextMoments({"layers.0": LayerMoments(SecondMoment(8), SecondMoment(8), {}, non_finite=50)})
    assert fit_proxies([broken], 2)["layers.0", None] is None
    both, alone = fit_proxies([broken, whole], 2)["layers.0", None], fit_proxies([whole], 2)["layers.0", None]
    assert both is not None
    assert alone is not None
    assert torch.equal(both.tangent.basis, alone.tangent.basis)


def made_up(activation: torch.Tensor, gradient: torch.Tensor, weight: torch.Tensor) -> list[TextMoments]:
    """Blocks of text in 16 dimensions with the given standard deviations of h = x, of ∂L/∂h and of the weighted x."""
    generator = torch.Generator().manual_seed(7)

    def moment(scales: torch.Tensor) -> SecondMoment:
        points = torch.randn(300, 16, generator=generator, dtype=torch.float64)
        return SecondMoment(16).update(points * scales)

    return [
        TextMoments(
            {
                "layers.0": LayerMoments(
                    moment(activation), moment(gradient), {"map": MapMoments(moment(activation), moment(weight))}
                )
            },
            loss=300.0,
            targets=300,
        )
        for _ in range(BLOCKS)
    ]


FLAT = torch.ones(16, dtype=torch.float64)
HIGH = torch.cat([5 * FLAT[:4], FLAT[4:]])
HIGHER = torch.cat([9 * FLAT[:4], FLAT[4:]])
LOW = torch.cat([0.02 * FLAT[:4], FLAT[4:]])


@pytest.mark.parametrize(
    ("gradient", "weight", "step", "hidden_verdict", "weight_verdict"),
    [
        (HIGH, HIGHER, 3, Verdict.SUPPORTS, Verdict.SUPPORTS),
        (HIGH, HIGH, 3, Verdict.SUPPORTS, Verdict.INCONCLUSIVE),  # the weight gradient only follows its input
        (LOW, LOW, 3, Verdict.REFUTES, Verdict.REFUTES),
        (FLAT, FLAT, 3, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE),
        (HIGH, HIGHER, 2, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE),  # the fit window is steps 1 and 2
        (LOW, LOW, 0, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE),
    ],
)
def test_verdicts(
    study: Study,
    gradient: torch.Tensor,
    weight: torch.Tensor,
    step: int,
    hidden_verdict: Verdict,
    weight_verdict: Verdict,
) -> None:
    texts = made_up(HIGH, gradient, weight)
    found = measure(study, step, texts, fit_proxies(texts, 4))
    assert at(found, "hidden-state-energy-ratio", step, "layers.0").verdict == hidden_verdict
    assert at(found, "weight-energy-ratio:map", step, "layers.0").verdict == weight_verdict
    assert at(found, "activation-energy-ratio", step, "layers.0").verdict == Verdict.INCONCLUSIVE


def test_levels_share_the_false_alarm_rate_over_all_cells(study: Study) -> None:
    cell = _Cell(study, 1, "layers.0", 2, [])
    assert 2 * cell.level(1) * len(study.steps) * 2 == pytest.approx(1e-3)  # two sides, two layers
    assert cell.level(2) == pytest.approx(cell.level(1) / 2)


def test_a_swapped_moment_would_be_noticed(study: Study) -> None:
    """Activations measured in place of gradients give another ratio: the confound can't pass for the evidence."""
    texts = made_up(HIGHER, HIGH, HIGH)
    proxies = fit_proxies(texts, 4)
    found = measure(study, 1, texts, proxies)
    ratio = at(found, "hidden-state-energy-ratio", 1, "layers.0")
    confound = at(found, "activation-energy-ratio", 1, "layers.0")
    assert ratio.upper is not None
    assert confound.lower is not None
    assert ratio.upper < 30 < 60 < confound.lower
    proxy = proxies["layers.0", None]
    assert proxy is not None
    assert energy_ratio(proxy.activations, proxy.tangent, draws=0).ratio == pytest.approx(confound.measured)
