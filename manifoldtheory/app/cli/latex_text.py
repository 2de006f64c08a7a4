r"""Plain text with mathematical characters as LaTeX that needs no package but amsmath.

``|P_T ξ| = √F t²/2`` becomes ``|\ensuremath{P_{T}} \ensuremath{\xi }| = …``: nothing is left for the input encoding.
"""

import re
import unicodedata

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "#$%&_{}"},
}
_MATH = {
    "−": "-",
    "·": r"\cdot ",
    "×": r"\times ",
    "√": r"\surd ",
    "∞": r"\infty ",
    "∂": r"\partial ",
    "∇": r"\nabla ",
    "∫": r"\int ",
    "∑": r"\sum ",
    "∏": r"\prod ",
    "∈": r"\in ",
    "∝": r"\propto ",
    "≈": r"\approx ",
    "≠": r"\neq ",
    "≡": r"\equiv ",
    "≤": r"\leq ",
    "≥": r"\geq ",
    "≪": r"\ll ",
    "≫": r"\gg ",
    "∼": r"\sim ",
    "⊂": r"\subset ",
    "⊥": r"\perp ",
    "⊕": r"\oplus ",
    "⊗": r"\otimes ",
    "∘": r"\circ ",
    "°": r"^{\circ}",
    "→": r"\to ",
    "←": r"\leftarrow ",
    "↦": r"\mapsto ",
    "⇒": r"\Rightarrow ",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "…": r"\dots ",
    "⋯": r"\cdots ",
    "′": "'",
    "″": "''",
    "‴": "'''",
    "±": r"\pm ",
    "ℓ": r"\ell ",
    "⊙": r"\odot ",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
}
_CAPITALS = ("GAMMA", "DELTA", "THETA", "LAMBDA", "XI", "PI", "SIGMA", "UPSILON", "PHI", "PSI", "OMEGA")
"""Greek letters of which LaTeX has capitals; the others look Latin."""
_PUNCTUATION = {"–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~"}
_ACCENTS = {
    "\u0302": r"\hat",
    "\u0303": r"\tilde",
    "\u0304": r"\bar",
    "\u0305": r"\bar",
    "\u0307": r"\dot",
    "\u0308": r"\ddot",
}
_SUBSCRIPT = "\x01"
"""Stands before a subscript that was written in subscript characters."""
_GROUP = r"\{[^{}]*\}"
_TOKEN = re.compile(
    rf"(?P<letter>(?<!\w)[^\W\d_](?=[_{_SUBSCRIPT}]))?(?P<index>(?(letter)[_{_SUBSCRIPT}]|{_SUBSCRIPT})(?:{_GROUP}|[^\W_]+))"
    rf"|\^(?P<power>{_GROUP}|-?\w)"
    rf"|(?P<accented>\w[{''.join(_ACCENTS)}])"
    r"|(?P<plain>.)",
    re.DOTALL,
)


def latex_text(text: str) -> str:
    """The text as LaTeX for text mode. A character that has no equivalent is named by its code point."""
    found = []
    for token in _TOKEN.finditer(_decomposed(text)):
        if token["index"]:
            found.append(rf"\ensuremath{{{_math(token['letter'] or '')}_{{{_math(token['index'][1:])}}}}}")
        elif token["power"]:
            found.append(rf"\ensuremath{{^{{{_math(token['power'])}}}}}")
        elif token["accented"]:
            found.append(rf"\ensuremath{{{_math(token['accented'])}}}")
        else:
            found.append(_plain(token["plain"]))
    return "".join(found)


def _decomposed(text: str) -> str:
    """Superscript characters as ``^{…}``, subscript ones as an index, accents after their letters."""
    pieces: list[tuple[str, str]] = []
    for character in text:
        kind, _, codes = unicodedata.decomposition(character).partition(" ")
        mark = {"<super>": "^", "<sub>": _SUBSCRIPT}.get(kind, "")
        if mark:
            character = "".join(chr(int(code, 16)) for code in codes.split())
        elif not kind.startswith("<") and ord(character) > 0x17F and character not in _MATH:
            # up to there LaTeX knows the accented letters
            character = unicodedata.normalize("NFD", character)
        if pieces and mark and pieces[-1][0] == mark:
            pieces[-1] = (mark, pieces[-1][1] + character)
        else:
            pieces.append((mark, character))
    return "".join(f"{mark}{{{part}}}" if mark else part for mark, part in pieces)


def _plain(character: str) -> str:
    """One character in text mode."""
    if character in _SPECIAL or character in _PUNCTUATION:
        return _SPECIAL.get(character) or _PUNCTUATION[character]
    if character.isascii() or (character.isalpha() and ord(character) <= 0x17F):
        return character
    command = _command(character)
    return rf"\ensuremath{{{command}}}" if command else rf"[U+{ord(character):04X}]"


def _math(text: str) -> str:
    """A piece in math mode."""
    text = text.strip("{}")
    found = []
    for position, character in enumerate(text):
        accent = _ACCENTS.get(text[position + 1 : position + 2])
        if character in _ACCENTS:
            continue
        piece = (_command(character) or _plain(character)) if not character.isascii() else character
        found.append(f"{accent}{{{piece}}}" if accent else piece)
    return "".join(found)


def _command(character: str) -> str:
    """A character that is not ASCII in math mode; empty when there is none for it."""
    if character in _MATH:
        return _MATH[character]
    name = unicodedata.name(character, "")
    kind, _, codes = unicodedata.decomposition(character).partition(" ")
    parts = [chr(int(code, 16)) for code in codes.split()]
    if kind == "<fraction>":
        above, _, below = "".join(parts).partition("\u2044")
        return rf"\tfrac{{{above}}}{{{below}}}"
    if kind == "<font>" and "SCRIPT CAPITAL" in name:
        return rf"\mathcal{{{parts[0]}}}"
    if name.startswith("GREEK") and "LETTER" in name and " WITH " not in name:
        letter = name.rpartition(" ")[2].replace("LAMDA", "LAMBDA")
        if "SMALL" in name and letter != "OMICRON":
            return f"\\{letter.lower()} "
        return f"\\{letter.capitalize()} " if letter in _CAPITALS else ""
    return ""
