from collections.abc import Mapping, Sequence, Set

class Alphabet:
    by_transition: Mapping[int, Sequence[str]]

anything_else: str

class FSM:
    alphabet: Alphabet
    initial: int
    finals: Set[int]
    map: Mapping[int, Mapping[int, int]]
    def empty(self) -> bool: ...
    def __sub__(self, other: FSM) -> FSM: ...
