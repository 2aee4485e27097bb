"""The short form of an input schema."""

from vcontract.codegen.compact_schema import listed


def test_patterns_and_bounds_that_no_sensible_call_meets_are_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "Words."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5, "description": "Size."},
            "offset": {"type": "integer", "minimum": 0, "maximum": 10000, "description": "Skipped."},
            "day": {"type": "string", "pattern": "^\\d+$", "description": "A day."},
            "kinds": {
                "type": "array",
                "minItems": 1,
                "maxItems": 3,
                "items": {"type": "string", "enum": ["a", "b"]},
                "description": "Some.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    }

    assert listed(schema) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words."},
            "limit": {"type": "integer", "maximum": 50, "default": 5, "description": "Size."},
            "offset": {"type": "integer", "description": "Skipped."},
            "day": {"type": "string", "description": "A day."},
            "kinds": {
                "type": "array",
                "maxItems": 3,
                "items": {"type": "string", "enum": ["a", "b"]},
                "description": "Some.",
            },
        },
        "required": ["query"],
    }


def test_members_inside_a_parameter_are_listed_by_name_and_type() -> None:
    note = {
        "type": "object",
        "x-document": True,
        "description": "The note.",
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "description": "Its name."},
            "description": {"type": "string", "description": "A member of that name."},
            "seldom": {"type": "string", "description": "Rarely given.", "x-unlisted": True},
        },
    }
    tags = {"type": "object", "description": "Pairs.", "additionalProperties": {"type": "string"}}

    assert listed({"type": "object", "properties": {"note": note, "tags": tags}})["properties"] == {
        "note": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "string"}, "description": {"type": "string"}},
            "description": "The note.",
        },
        "tags": {"type": "object", "description": "Pairs."},
    }


def test_a_parameter_that_no_model_sets_is_not_listed() -> None:
    properties = {
        "note": {"type": "string", "description": "The note."},
        "request_key": {"type": "string", "description": "Of the client's making.", "x-unlisted": True},
    }

    assert list(listed({"type": "object", "properties": properties})["properties"]) == ["note"]


def test_an_object_among_alternatives_is_listed_by_its_type() -> None:
    window = {
        "anyOf": [
            {"type": "string", "maxLength": 9},
            {"type": "object", "properties": {"start": {"type": "string", "description": "From."}}},
        ],
        "description": "A day, or {start, end}.",
    }

    assert listed({"type": "object", "properties": {"when": window}})["properties"]["when"] == {
        "anyOf": [{"type": "string"}, {"type": "object"}],
        "description": "A day, or {start, end}.",
    }


def test_a_default_that_looks_like_a_schema_stays_as_it_is() -> None:
    shown = {"type": "object", "default": {"minLength": 1, "description": "x"}, "description": "Shown."}

    assert listed({"type": "object", "properties": {"shown": shown}})["properties"]["shown"] == shown
