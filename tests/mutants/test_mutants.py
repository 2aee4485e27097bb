"""The mutants fit the code that they are of."""

from tests.house import ROOT, is_test
from tests.mutants import Mutant, mutants
from tests.sweep import sweep


@sweep("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_takes_out_a_guard_that_is_there(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text(encoding="utf-8")

    assert mutant.applied(text) != text
    assert mutant.tests
    assert [test for test in mutant.tests if not is_test(test)] == []


def test_every_mutant_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in mutants()]

    assert len(names) > 100
    assert len(set(names)) == len(names)
