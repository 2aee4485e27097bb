"""Clients shared out among processes: none takes many while another has few, and none is left waiting."""

import socket
from collections.abc import Iterator
from tempfile import TemporaryFile

import pytest

from vcontract.runtime.frame.mcp import accept_balancer, http
from vcontract.runtime.frame.mcp.accept_balancer import Listening, Shares


class Worker:
    """One of two processes at the same socket, with the connections that it took."""

    def __init__(self, listening: socket.socket, file: int, part: int) -> None:
        self.shares = Shares(file, part)
        self.taken: list[socket.socket] = []
        self.listening = Listening(listening.dup(), self.shares, lambda: len(self.taken))
        self.listening.setblocking(False)

    def takes(self) -> bool:
        """Whether it takes the connection that waits."""
        try:
            self.taken.append(self.listening.accept()[0])
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def address() -> Iterator[socket.socket]:
    with http.listen("127.0.0.1", 0) as listening:
        yield listening


@pytest.fixture
def workers(address: socket.socket) -> Iterator[tuple[Worker, Worker]]:
    with TemporaryFile() as file:
        file.truncate(Shares.size(2))
        both = Worker(address, file.fileno(), 0), Worker(address, file.fileno(), 1)
        yield both
        for worker in both:
            for each in (worker.listening, *worker.taken):
                each.close()


@pytest.fixture
def clients(address: socket.socket) -> Iterator[list[socket.socket]]:
    """Four that wait to be taken."""
    waiting = [socket.create_connection(address.getsockname()) for _ in range(4)]
    yield waiting
    for client in waiting:
        client.close()


@pytest.mark.usefixtures("clients")
def test_each_takes_its_share_however_often_one_of_them_looks(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accept_balancer, "_PATIENCE_SECONDS", float("inf"))
    first, second = workers

    took = [first.takes(), first.takes(), first.takes(), second.takes(), first.takes(), first.takes()]

    assert took == [True, False, False, True, True, False]
    assert second.takes()


@pytest.mark.usefixtures("clients")
def test_one_takes_what_another_leaves_too_long(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accept_balancer, "_PATIENCE_SECONDS", 0.0)
    first, _ = workers

    assert [first.takes() for _ in range(5)] == [True, True, True, True, False]


def test_a_worker_in_the_place_of_one_that_ended_has_none() -> None:
    with TemporaryFile() as file:
        file.truncate(Shares.size(2))
        lasting, ended = Shares(file.fileno(), 0), Shares(file.fileno(), 1)
        lasting.tell(3)
        ended.tell(7)
        before = lasting.is_ahead
        Shares(file.fileno(), 1)

        assert (before, lasting.is_ahead, lasting.of_others) == (False, True, 0)
