r"""A strict reader of LaTeX: what it accepts compiles with amsmath alone.

It knows fewer commands than LaTeX does, every one by the mode it needs; braces, environments, ``$``, ``\left`` and
``\right`` must match, scripts and alignment marks stand where they may, and only ASCII and Latin letters are left.
"""

import re
from collections.abc import Iterator

TEXT = set(
    re.findall(
        r"\\\S+",
        r"\documentclass \usepackage \allowdisplaybreaks \section* \subsection* \subsubsection* \paragraph \item "
        r"\texttt \ensuremath \textbackslash \textasciitilde \textasciicircum",
    )
)
MATH = set(
    re.findall(
        r"\\\S+",
        r"\frac \tfrac \sqrt \left \right \cdot \times \langle \rangle \text \operatorname \mathrm \mathcal \mathbf "
        r"\det \lim \int \infty \to \mapsto \leftarrow \partial \prime \perp \top \hat \bar \dot \ddot \tilde \circ "
        r"\dots \quad \log \sin \cos \tan \max \min \exp \in \leq \geq \neq \propto \surd \Big \ast \sum "
        r"\textstyle \pm \approx \ll \gg \sim \oplus \odot \nabla \ell \alpha \beta \gamma \delta \epsilon "
        r"\varepsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi \pi \rho \sigma \tau \upsilon \phi \chi "
        r"\psi \omega \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Phi \Psi \Omega",
    )
)
ENVIRONMENTS = {"document": "text", "itemize": "text", "enumerate": "text", "align*": "math"}
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}$&^_#%~]|[^\\{}$&^_#%~]", re.DOTALL)


def faults(source: str) -> list[str]:
    """What keeps the source from compiling; empty when nothing is known to."""
    return list(_Reader(source))


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = _TOKEN.findall(source)
        self.position = 0
        self.modes = ["text"]
        self.open: list[str] = []
        self.scripts: list[set[str]] = [set()]

    def __iter__(self) -> Iterator[str]:
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            yield from self._read(token)
        if self.open:
            yield f"left open: {self.open}"

    def _close(self, expected: str) -> Iterator[str]:
        if not self.open or self.open[-1] != expected:
            yield f"{expected} is closed, open are {self.open[-3:]}"
            return
        self.open.pop()
        self.modes.pop()
        self.scripts.pop()

    def _enter(self, what: str, mode: str) -> None:
        self.open.append(what)
        self.modes.append(mode)
        self.scripts.append(set())

    def _argument(self) -> str:
        end = self.tokens.index("}", self.position)
        argument = "".join(self.tokens[self.position + 1 : end])
        self.position = end + 1
        return argument

    def _read(self, token: str) -> Iterator[str]:
        mode = self.modes[-1]
        scripts = self.scripts[-1]
        if token in ("^", "_"):
            if mode != "math":
                yield f"{token} outside mathematics"
            if token in scripts:
                yield f"double {token} before {''.join(self.tokens[self.position : self.position + 9])}"
            scripts.add(token)
            if self.tokens[self.position] != "{":  # a script of one token
                self.position += 1
            else:
                self._enter("{", "math")
                self.position += 1
            return
        if token == "'" and mode == "math":
            if "^" in scripts and self.tokens[self.position - 2] != "'":
                yield "a prime after a superscript"
            scripts.add("^")
            return
        if not (token == "}" and self.open and self.open[-1] == "{"):
            self.scripts[-1] = set()
        yield from self._structure(token, mode)

    def _structure(self, token: str, mode: str) -> Iterator[str]:
        if token == "{":
            self._enter("{", mode)
        elif token == "}":
            yield from self._close("{")
        elif token == "$":
            if mode == "math":
                yield from self._close("$")
            else:
                self._enter("$", "math")
        elif token in (r"\begin", r"\end"):
            name = self._argument()
            if name not in ENVIRONMENTS:
                yield f"unknown environment {name}"
            elif token == r"\begin":
                self._enter(name, ENVIRONMENTS[name])
            else:
                yield from self._close(name)
        elif token in (r"\left", r"\right"):
            yield from self._fence(token, mode)
        elif token in ("&", r"\\"):
            if self.open[-1:] != ["align*"]:
                yield f"{token} outside an alignment: {self.open[-3:]}"
        elif token in ("#", "%"):
            yield f"{token} is not escaped"
        elif token.startswith("\\") and token[1].isalpha():
            yield from self._command(token, mode)
        elif not token.isascii() and not (token.isalpha() and ord(token) <= 0x17F):
            yield f"the character {token!r}"

    def _fence(self, token: str, mode: str) -> Iterator[str]:
        delimiter = self.tokens[self.position]
        self.position += 1
        if mode != "math" or delimiter not in ("(", ")", "[", "]", "|", ".", r"\{", r"\}", r"\langle", r"\rangle"):
            yield f"{token}{delimiter} in {mode}"
        if token == r"\left":
            self._enter(r"\left", "math")
        else:
            yield from self._close(r"\left")

    def _command(self, token: str, mode: str) -> Iterator[str]:
        if token not in (MATH if mode == "math" else TEXT):
            yield f"{token} in {mode}"
        following = self.tokens[self.position : self.position + 1]
        if token in (r"\ensuremath", r"\text", r"\texttt") and following == ["{"]:
            self.position += 1
            self._enter("{", "math" if token == r"\ensuremath" else "text")
