"""What the house has reached it keeps."""

from tests.house_figures import figures, floors


def test_a_goal_that_was_reached_is_kept() -> None:
    held = [figure for figure in figures() if figure.held]
    passed = [f"{figure.what}: {figure.count}" for figure in held if figure.count > figure.goal]
    assert passed == [], "take something away; make house shows all figures"
    assert len(held) > 1


def test_rooms_in_a_circle_share_a_floor() -> None:
    assert floors({"top": {"one"}, "one": {"other", "low"}, "other": {"one"}, "low": set()}) == 3
