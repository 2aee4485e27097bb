"""Windows of a talk: which turns are read together, and the vectors that come out."""

import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from vcontract.runtime.embedding import minilm as shipped
from vcontract.runtime.embedding.embedder import LATE, MAX_WINDOW_TOKENS, Turn
from vcontract.runtime.embedding.minilm import MiniLm, find_model
from vcontract.runtime.embedding.onnx import OnnxModel
from vcontract.runtime.embedding.windows import TurnInWindow, windows_of

TALK = [Turn("Ada Lang", "Is it covered?"), Turn("Omar Quist", "Yes."), Turn("Ada Lang", "For how long?")]


def numbered(count: int) -> list[Turn]:
    return [Turn(None, f"turn {number}") for number in range(count)]


def tokens_of(source: TurnInWindow, tokens: dict[Turn, int]) -> tuple[int, int, int]:
    """The tokens of the window, and those before and after the turn in it."""
    counts = [tokens[turn] for turn in source.window.turns]
    return sum(counts), sum(counts[: source.place]), sum(counts[source.place + 1 :])


@pytest.mark.parametrize("longest", [5, 40, 254])
def test_each_turn_is_read_once_in_a_window_that_holds_it_with_what_is_around(longest: int) -> None:
    lengths = random.Random(longest)  # noqa: S311
    turns = numbered(500)
    tokens = {turn: lengths.randint(1, longest) for turn in turns}

    sources = windows_of(turns, list(tokens.values()), 254)

    assert [source.window.turns[source.place] for source in sources] == turns
    for number, source in enumerate(sources):
        first = number - source.place
        assert list(source.window.turns) == turns[first : first + len(source.window.turns)]
        whole, before, after = tokens_of(source, tokens)
        assert whole <= 254
        if longest <= 40:
            assert before >= 10 or first == 0
            assert after >= 10 or first + len(source.window.turns) == len(turns)
    windows = {source.window for source in sources}
    assert sum(tokens_of(TurnInWindow(window, 0), tokens)[0] for window in windows) < 2.1 * sum(
        tokens.values()
    )


@pytest.mark.parametrize(("counts", "windows"), [([], 0), ([254], 1), ([100, 100, 54], 1), ([200, 200], 2)])
def test_a_talk_that_fits_is_one_window(counts: list[int], windows: int) -> None:
    sources = windows_of(numbered(len(counts)), counts, 254)

    assert len({source.window for source in sources}) == windows


@pytest.mark.parametrize("change", ["edit", "delete", "insert"])
def test_a_change_leaves_the_windows_that_are_further_off(change: str) -> None:
    chance = random.Random(change)  # noqa: S311
    turns = numbered(2_000)
    tokens = {turn: chance.randint(2, 40) for turn in turns}
    before = Counter(source.digest for source in windows_of(turns, list(tokens.values()), 254))

    for place in range(100, 2_000, 100):
        other = Turn(None, f"other {place}")
        tokens[other] = 17
        replaced = {"edit": [other], "delete": [], "insert": [other, turns[place]]}[change]
        changed = [*turns[:place], *replaced, *turns[place + 1 :]]
        sources = windows_of(changed, [tokens[turn] for turn in changed], 254)
        assert (Counter(source.digest for source in sources) - before).total() < 70


def test_a_turn_has_the_mean_of_its_own_tokens_in_the_window(minilm: MiniLm) -> None:
    (turns,) = minilm.windows.embed_windows([TALK])

    # [CLS] ada lang : is it covered ? omar qui ##st : yes .
    pieces = minilm.transformer.tokenizer.pieces(
        ["Ada Lang: Is it covered? Omar Quist: Yes. Ada Lang: For how long?"]
    )
    (states,) = minilm.transformer.run(pieces)
    assert turns.shape == (3, 384)
    for row, (first, last) in zip(turns, [(4, 8), (12, 14)], strict=False):
        mean = states[first:last].mean(axis=0)
        assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_a_window_has_the_same_vectors_whatever_else_is_embedded(minilm: MiniLm) -> None:
    windows = [TALK, TALK[:1], [Turn("Omar", "long " * 300)], TALK * 12, [Turn(None, "\u200b"), *TALK]]
    together = minilm.windows.embed_windows(windows)

    for window, rows in zip(windows, together, strict=True):
        assert (minilm.windows.embed_windows([window])[0] == rows).all()
        assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)


def test_a_turn_that_is_longer_than_a_window_is_cut_to_it(minilm: MiniLm) -> None:
    long = Turn("Omar " * 100, "word " * 300)

    counts = minilm.windows.count_tokens([long, Turn("Omar", "yes"), Turn(None, "\u200b")])

    assert counts == [MAX_WINDOW_TOKENS, 3, 0]


def test_a_model_of_token_states_reads_windows_and_begins_each_with_its_prompt(
    tmp_path: Path, minilm: MiniLm
) -> None:
    (tmp_path / "model.onnx").symlink_to(find_model())
    shutil.copy(Path(shipped.__file__).with_name("vocab.txt"), tmp_path)
    plain = OnnxModel(tmp_path)
    prompted = OnnxModel(tmp_path, document_prompt="passage: ")
    first_token = OnnxModel(tmp_path, pooling="cls")

    assert plain.windows is not None
    assert prompted.windows is not None
    assert (plain.windows.embed_windows([TALK])[0] == minilm.windows.embed_windows([TALK])[0]).all()
    (rows,) = prompted.windows.embed_windows([TALK])
    (as_turn,) = minilm.windows.embed_windows([[Turn(None, "passage:"), *TALK]])
    assert (rows == as_turn[1:]).all()
    assert first_token.windows is None
    assert plain.id.endswith(LATE)
    assert not first_token.id.endswith(LATE)
