"""What is not sent to a business: data that does not fit, and what looks personal."""

from __future__ import annotations

from typing import Any

import pytest

from frontdesk import Unusable
from frontdesk._personal import personal_members, personal_name, personal_text
from frontdesk._schema import unfit


@pytest.mark.parametrize("name", ["email", "workEmail", "full_name", "Name", "Straße", "téléphone", "phone_2", "電話番号", "customer-name", "date of birth"])
def test_names_of_personal_data_are_known(name: str) -> None:
    assert personal_name(name)


@pytest.mark.parametrize("name", ["mailing_list", "product_name", "size", "people", "weight_kg", "nominal", "addressed", ""])
def test_names_of_other_things_are_not(name: str) -> None:
    assert not personal_name(name)


@pytest.mark.parametrize("text", ["call jane@example.com", "+43 660 1234567", "(212) 555-0123", "0043 660 1234567", "01/234 56 78"])
def test_texts_with_personal_data_are_known(text: str) -> None:
    assert personal_text(text)


@pytest.mark.parametrize("text", ["2026-03-01", "01/02/2026", "12:30", "4711", "1.2.3", "a @ b", "3.50 EUR", "2026-03-01T12:00:00Z"])
def test_other_texts_are_not(text: str) -> None:
    assert not personal_text(text)


def test_pointers_lead_to_what_looks_personal() -> None:
    data = {"who": {"email": "x"}, "notes": ["fine", "jane@example.com"], "a/b": {"phone": 1}}
    assert personal_members(data) == ["/a~1b/phone", "/notes/1", "/who/email"]


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("of", "data", "pointers"),
    [
        (schema(a={"type": "integer"}), {"a": 1}, []),
        (schema(a={"type": "integer"}), {"a": "1"}, ["/a"]),
        ({**schema(a={}), "required": ["b"]}, {"a": 1}, [""]),
        (schema(a=schema(b={"type": "string"})), {"a": {"b": "x", "c": 1}}, ["/a/c"]),
        ({**schema(), "additionalProperties": False}, {"a": 1}, ["/a"]),
        (schema(a={"type": "string", "format": "date"}), {"a": "yesterday"}, ["/a"]),
        ({"anyOf": [schema(a={"const": 1}), schema(a={"const": 2})]}, {"a": 3}, ["/a"]),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"a": "x"}, []),
        (schema(a={"type": "string", "pattern": "^(a+)+$"}), {"a": "a" * 40 + "!"}, []),
    ],
)
def test_data_is_held_against_the_schema(of: dict[str, Any], data: Any, pointers: list[str]) -> None:
    assert [pointer for pointer, _ in unfit(of, data)] == pointers


def test_what_does_not_fit_is_not_shown() -> None:
    told = unfit(schema(a={"enum": ["x"]}), {"a": "my secret"})
    assert "secret" not in str(told)


@pytest.mark.parametrize("of", [{"type": 7}, {"$ref": "https://elsewhere.example/schema"}, {"$ref": "#"}, {"$ref": "#/$defs/none"}])
def test_a_schema_that_is_none_or_reaches_elsewhere_is_not_used(of: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        unfit(of, {"a": 1})
