"""The style is one, and stays inside its block."""

import matplotlib as mpl
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.app.report import style


def test_a_users_settings_are_left_alone_and_do_not_come_in() -> None:
    with mpl.rc_context({"font.size": 31}):
        with style.styled():
            assert mpl.rcParams["font.size"] == 8.5
        assert mpl.rcParams["font.size"] == 31


@given(st.lists(st.sampled_from(("S2", "torus", "cylinder", "klein", "moebius", "so-3")), unique=True))
def test_subjects_that_ship_look_the_same_in_every_figure(subjects: list[str]) -> None:
    looks = style.looks(subjects)
    assert set(looks) == set(subjects)
    for name in set(subjects) & {"S2", "torus", "cylinder"}:
        assert looks[name] == style.looks([name])[name]
    assert len(set(looks.values())) >= len(set(looks) & {"S2", "torus", "cylinder"})


def test_seven_shipping_subjects_and_another_are_told_apart() -> None:
    names = ["S2", "S5", "torus", "ellipsoid", "cylinder", "monge-3-8", "monge-3-32", "another"]
    assert len({look.colour for look in style.looks(names).values()}) == 8
    assert len({look.marker for look in style.looks(names).values()}) == 8
