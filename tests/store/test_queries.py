"""Queries name their parameters, and a call says exactly those names."""

import re
from importlib import resources

import pytest

from vcontract.runtime.store import queries
from vcontract.runtime.store.queries import Statement, query, statement


@pytest.mark.parametrize(
    ("written", "sql", "parameters"),
    [
        ("select 1", "select 1", ()),
        ("where tenant = :tenant and id = :id", "where tenant = $1 and id = $2", ("tenant", "id")),
        ("(:b, :a, :b, :most_2)", "($1, $2, $1, $3)", ("b", "a", "most_2")),
        ("unnest(:ids::uuid[])", "unnest($1::uuid[])", ("ids",)),
        ("now()::date, 'a :b ''c'' :d', \":e\", :f", "now()::date, 'a :b ''c'' :d', \":e\", $1", ("f",)),
        ("-- of :a, it's said\n:b", "-- of :a, it's said\n$1", ("b",)),
        (r"replace(path, '\', '/') = :path", r"replace(path, '\', '/') = $1", ("path",)),
    ],
)
def test_a_name_becomes_one_number_wherever_it_stands(
    written: str, sql: str, parameters: tuple[str, ...]
) -> None:
    parsed = Statement.parse("some", written)

    assert (parsed.sql, parsed.parameters) == (sql, parameters)


def test_values_come_in_the_order_of_the_numbers() -> None:
    some = Statement.parse("some", "select :second + :first, :second")

    assert some.given({"first": 1, "second": 2}) == ("select $1 + $2, $1", 2, 1)
    assert query("tag_keys", tenant="acme") == (statement("tag_keys").sql, "acme")


def test_a_name_too_many_or_too_few_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^tag_keys: no value for tenant, no parameter tennant; its parameters: tenant$"
    ):
        query("tag_keys", tennant="acme")


def test_no_query_numbers_a_parameter() -> None:
    files = [file for file in resources.files(queries).iterdir() if file.name.endswith(".sql")]

    assert files
    assert [file.name for file in files if re.search(r"\$\d", file.read_text(encoding="utf-8"))] == []
