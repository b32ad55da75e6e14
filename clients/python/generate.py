"""Writes src/frontdesk/models from the server's openapi.json, which is itself made from the Go types and the .proto files,
and the words for personal data from the list that all clients share.

    python generate.py           writes them anew
    python generate.py --check   fails where they are not current
"""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPENAPI = HERE / "../../internal/app/discovery/openapi.json"
PERSONAL = HERE / "../../wire/intake/personal.txt"
OUT = HERE / "src/frontdesk/models"

# The schemas that each module begins with; what they refer to comes along.
MODULES = {
    "nlweb": ["AskRequest", "AwaitRequest", "Response"],
    "intent": ["IntentDeclaration", "IntentRequest", "IntentResponse", "IntentEvent"],
    "intake": ["IntakeManifest", "IntakeRequest", "IntakeResponse", "IntakeBind", "IntakeBound"],
    "ramp": [
        "ramp.v1.ResourceQuery",
        "ramp.v1.ResourceResponse",
        "ramp.v1.TransactionRequest",
        "ramp.v1.TransactionResponse",
        "ramp.v1.UsageReport",
        "ramp.v1.UsageReportResponse",
        "ramp.v1.DisputeRequest",
        "ramp.v1.DisputeResponse",
    ],
}
HEADER = "# Written by generate.py. Do not edit: run `python generate.py`."
# Members of a schema that say how a document is checked, which the protocol's own module does.
DROPPED = {"if", "then", "else", "not", "allOf", "examples", "maximum", "minimum", "pattern", "propertyNames"}


def short(name: str) -> str:
    """Gives the name of a class: ramp.v1.Offer is Offer, IntentResponse stays."""
    return name.rsplit(".", 1)[-1]


def plain(schema: Any) -> Any:
    """Gives a schema without what becomes no type."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": "#/components/schemas/" + short(schema["$ref"].rsplit("/", 1)[-1])}
    out = {key: plain(value) for key, value in schema.items() if key not in DROPPED and key != "properties"}
    if out.get("format") in ("uri", "uuid", "date", "email"):
        del out["format"]
    if "properties" in schema:
        out["properties"] = {name: plain(value) for name, value in schema["properties"].items()}
    if "enum" in out and "type" not in out:
        out["type"] = "string"
    return out


def chosen(schemas: dict[str, Any], roots: list[str]) -> dict[str, Any]:
    """Gives the schemas of a module, by their class names."""
    names, todo = set(roots), list(roots)
    while todo:
        text = json.dumps(schemas[todo.pop()])
        for piece in text.split('"#/components/schemas/')[1:]:
            name = piece.split('"', 1)[0]
            if name not in names:
                names.add(name)
                todo.append(name)
    return {short(name): plain(schemas[name]) for name in sorted(names)}


def written(module: str, roots: list[str], document: dict[str, Any]) -> str:
    """Gives the text of a module."""
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch, "in.json"), Path(scratch, "out.py")
        part = {"openapi": document["openapi"], "info": {"title": module, "version": "1"}, "paths": {}}
        source.write_text(json.dumps({**part, "components": {"schemas": chosen(document["components"]["schemas"], roots)}}))
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--output", str(target)]
        command += ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
        command += ["--target-python-version", "3.10", "--use-standard-collections", "--use-union-operator"]
        command += ["--enum-field-as-literal", "all", "--snake-case-field", "--allow-population-by-field-name"]
        command += ["--disable-timestamp", "--collapse-root-models", "--formatters", "builtin"]
        command += ["--use-annotated", "--custom-file-header", HEADER, "--parent-scoped-naming"]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return target.read_text()


def personal() -> str:
    """Gives the text of the module of the words for personal data."""
    names: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, PERSONAL.read_text().splitlines())):
        if line.startswith("["):
            section = names.setdefault(line[1:].split("]")[0], [])
        elif not line.startswith("#"):
            section += [name.strip() for name in line.rstrip(",").split(",")]
    text = f'{HEADER}\n"""What members are called that hold personal data."""\n'
    for name, words in names.items():
        text += f"\n{name.upper()} = (\n" + "".join(f"    {json.dumps(word, ensure_ascii=False)},\n" for word in words) + ")\n"
    return text


def main() -> int:
    """Writes the modules, or says which are not current."""
    document, stale = json.loads(OPENAPI.read_text()), 0
    texts = {module: written(module, roots, document) for module, roots in MODULES.items()}
    for module, text in {**texts, "personal": personal()}.items():
        path = OUT / f"{module}.py"
        if "--check" not in sys.argv:
            path.write_text(text)
        elif text != path.read_text():
            stale += 1
            print(*difflib.unified_diff(path.read_text().splitlines(), text.splitlines(), str(path), "generated", lineterm=""), sep="\n")
    if stale:
        print("The models are not current: run `python generate.py`.")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
