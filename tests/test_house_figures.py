"""What the house has reached it keeps."""

import pytest

from tests.house_figures import Figure, figures, floors


@pytest.mark.parametrize("figure", [one for one in figures() if one.held], ids=lambda figure: figure.what)
def test_a_goal_that_was_reached_is_kept(figure: Figure) -> None:
    assert figure.count <= figure.goal, f"{figure.what}: take something away; make house shows all figures"


def test_rooms_in_a_circle_share_a_floor() -> None:
    assert floors({"top": {"one"}, "one": {"other", "low"}, "other": {"one"}, "low": set()}) == 3
