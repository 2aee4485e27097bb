"""Functions stay simple, and the picture of the rooms is current."""

from docs import rooms
from tests.house_figures import TO_SPLIT, complex_functions, floors


def test_no_further_function_has_more_than_20_decisions() -> None:
    assert set(complex_functions()) == TO_SPLIT, "split what is new; take out of the list what was split"


def test_rooms_in_a_circle_share_a_floor() -> None:
    assert floors({"top": {"one"}, "one": {"other", "low"}, "other": {"one"}, "low": set()}) == 3


def test_the_picture_of_the_rooms_is_that_of_the_imports() -> None:
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.picture(), f"run: {rooms.COMMAND}"
