"""Figures that reached their goal keep it."""

from docs import rooms
from tests.house_figures import complex_functions, floors, metrics


def test_a_goal_that_was_reached_is_kept() -> None:
    held = [figure for figure in metrics() if figure.held]
    passed = [f"{figure.what}: {figure.count}" for figure in held if figure.count > figure.goal]
    assert passed == [], "take something away; make house shows all figures"
    assert len(held) > 1


def test_no_function_has_more_than_20_decisions() -> None:
    assert complex_functions() == (), "split them"


def test_rooms_in_a_circle_share_a_floor() -> None:
    assert floors({"top": {"one"}, "one": {"other", "low"}, "other": {"one"}, "low": set()}) == 3


def test_the_picture_of_the_rooms_is_that_of_the_imports() -> None:
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.picture(), f"run: {rooms.COMMAND}"
