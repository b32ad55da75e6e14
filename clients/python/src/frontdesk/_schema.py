"""Data against the schema of an intake (JSON Schema 2020-12). The schema is a stranger's: it reaches nothing and runs no pattern."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from referencing import Registry
from referencing.exceptions import Unresolvable

from ._personal import pointer
from .errors import Unusable


def _harmless(schema: Any) -> Any:
    """Gives a schema without patterns: one could take for ever to match. The business tries them itself."""
    if isinstance(schema, list):
        return [_harmless(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for name, each in schema.items():
        if name in ("properties", "$defs", "dependentSchemas") and isinstance(each, dict):
            out[name] = {inner: _harmless(value) for inner, value in each.items()}
        elif name in ("enum", "const", "default", "examples", "required"):
            out[name] = each
        elif name not in ("pattern", "patternProperties"):
            out[name] = _harmless(each)
    return out


def _undeclared(schema: Any, data: Any, at: str = "") -> list[str]:
    """Gives the pointers of members that no part of a plain schema declares."""
    if not isinstance(schema, dict) or not isinstance(data, dict):
        return []
    if not isinstance(schema.get("properties"), dict) or {"$ref", "allOf", "anyOf", "oneOf", "patternProperties"} & set(schema):
        return []
    found: list[str] = []
    for name, value in data.items():
        here = at + pointer(name)
        if name not in schema["properties"]:
            found += [] if isinstance(schema.get("additionalProperties"), dict) else [here]
        else:
            found += _undeclared(schema["properties"][name], value, here)
    return found


def unfit(schema: dict[str, Any], data: Any) -> list[tuple[str, str]]:
    """Gives what of data does not fit a schema: pointers and words, which show no value. Raises Unusable."""
    try:
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(_harmless(schema), registry=Registry(), format_checker=Draft202012Validator.FORMAT_CHECKER)
        errors = sorted(validator.iter_errors(data), key=lambda error: [str(part) for part in error.absolute_path])
    except (SchemaError, Unresolvable, RecursionError) as error:
        raise Unusable(f"the intake cannot be used, since its input_schema is none: {type(error).__name__}") from error
    problems: list[tuple[str, str]] = []
    for whole in errors:
        one = best_match(whole.context) or whole if whole.context else whole
        at = "".join(pointer(str(part)) for part in one.absolute_path)
        if one.validator == "additionalProperties":
            continue  # told below, by name
        problems.append((at, _words(one.validator, one.validator_value, one.instance)))
    return problems or [(at, "is not what the intake asks for; leave it out") for at in _undeclared(schema, data)]


def _words(rule: object, value: Any, instance: Any) -> str:
    """Says what a rule wants, without the value that breaks it."""
    if rule == "required" and isinstance(instance, dict):
        missing = [name for name in value if name not in instance]
        return f"lacks {', '.join(missing)}"
    if rule == "enum":
        return f"has to be one of {', '.join(str(each) for each in value[:20])}"
    if rule in ("type", "const", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
        return f"does not keep {rule} {value}"
    return f"does not keep {rule}"
