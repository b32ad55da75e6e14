"""A front desk of the built program, with all four protocols: https://desk.example.com as its readers know it."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from frontdesk.signing import public_bytes

ROOT = Path(__file__).parents[3]
ADDRESS = "https://desk.example.com"
HOST = "desk.example.com"

CONFIG = """
url: https://desk.example.com
listen: 127.0.0.1:{port}
data: .
metrics: {{listen: "off"}}
site: {{name: Larkfield, url: "https://desk.example.com"}}
sources: [{{path: content, base: "https://desk.example.com/"}}]
terms:
  - match: {{path: "/premium/**"}}
    access: licensed
    excerpt: {{words: 12}}
    functions: {{permit: [search, ai-input], prohibit: [ai-train]}}
    price: {{model: per_access, rate: "0.02", currency: EUR}}
    reporting: {{window: 24h}}
  - match: {{path: "/food/**"}}
    access: open
    labels: [food]
  - match: {{}}
    access: open
ask:
  elicit:
    mode: slots
    slots:
      - {{id: diet, text: Any diet?, kind: single_select, options: [vegan, vegetarian], filter: suitableForDiet, when: {{words: [dinner], always: true}}}}
  promise:
    fresh: {{enabled: true, every: 1s}}
actions:
  - match: {{type: Recipe}}
    name: add_ingredients
    description: Add the ingredients of {{name}} to a cart
    http: {{method: POST, endpoint: "https://cart.example.com/add?recipe={{url}}"}}
intent:
  enabled: true
  publisher: {{id: larkfield}}
  compliance: {{last_updated: "2026-11-22"}}
ramp: {{enabled: true, contact: desk@example.com}}
intakes:
  provider: {{name: Larkfield, url: "https://desk.example.com"}}
  list:
    - id: repair
      name: Repairs
      description: Says what a repair costs.
      category: service/quote
      offer_type: quote
      input_schema:
        type: object
        additionalProperties: false
        required: [thing]
        properties:
          thing: {{type: string, enum: [kettle, lamp]}}
          note: {{type: string, maxLength: 80}}
      privacy: {{data_retention: none}}
      rate_limit: {{requests_per_minute: 60, requests_per_day: 1000}}
      rules:
        offers: [{{summary: "We repair a {{data.thing}} for 20 EUR.", details: {{price: "20"}}}}]
      expires: 240h
      binding: true
      bind: {{requires: [email], message: We look forward to it.}}
"""

RECIPES = {
    "lentil-soup": ("Lentil soup", "A quick vegan dinner of red lentils.", ["Boil the lentils for 20 minutes.", "Season with cumin."]),
    "tomato-soup": ("Tomato soup", "A vegetarian dinner of ripe tomatoes and cream.", ["Roast the tomatoes.", "Blend them with cream."]),
    "pan-care": ("How to season a pan", "Heat oil in a cast iron pan until it smokes.", ["Rub the pan with oil.", "Bake it for an hour."]),
}
DIETS = {"lentil-soup": "VeganDiet", "tomato-soup": "VegetarianDiet"}


@dataclass
class FrontDesk:
    """The program as it runs: where, its folder, and what it gave to a platform and to a buyer."""

    port: int
    folder: Path
    platform_key: str
    secret: bytes
    buyer: Ed25519PrivateKey
    process: subprocess.Popen[bytes]


def binary(scratch: Path) -> Path:
    """Gives the program: FRONTDESK_BINARY, or one that is built."""
    given = os.environ.get("FRONTDESK_BINARY")
    if given:
        return Path(given)
    subprocess.run(["go", "build", "-o", str(scratch / "frontdesk"), "./cmd/frontdesk"], cwd=ROOT, check=True)
    return scratch / "frontdesk"


def content(folder: Path) -> None:
    """Writes what the site has."""
    items = []
    for name, (title, description, steps) in RECIPES.items():
        item = {"@type": "Recipe", "url": f"{ADDRESS}/food/{name}", "name": title, "description": description, "inLanguage": "en"}
        item |= {"recipeInstructions": " ".join(steps * 3)}
        items.append(item | ({"suitableForDiet": f"https://schema.org/{DIETS[name]}"} if name in DIETS else {}))
    body = " ".join(f"Sentence {n} of the report on oil lamps tells how a wick is trimmed and why it smokes." for n in range(40))
    report = {"@type": "Article", "url": f"{ADDRESS}/premium/report", "name": "The oil lamp report", "articleBody": body}
    items.append(report | {"description": "What forty lamps taught us.", "inLanguage": "en"})
    folder.mkdir()
    (folder / "items.json").write_text(json.dumps(items))


def start(scratch: Path) -> FrontDesk:
    """Starts the program and gives a platform and a buyer what they need."""
    program = binary(scratch)
    folder = scratch / "desk"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    (folder / "frontdesk.yaml").write_text(CONFIG.format(port=port))
    content(folder / "content")

    def run(*args: str) -> str:
        done = subprocess.run([str(program), *args], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{args}: {done.stderr}{done.stdout}"
        return done.stdout

    run("config", "check")
    key = json.loads(run("keys", "issue", "platform", "example_chat", "--json"))
    buyer = Ed25519PrivateKey.generate()
    (folder / "agent-1.pem").write_bytes(buyer.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = base64.b64encode(public_bytes(buyer.public_key())).decode()
    run("ramp", "requester", "add", "buyer.example.com", "research-bot", "--key", public)
    run("ramp", "account", "open", "buyer.example.com/research-bot", "EUR")
    run("ramp", "account", "credit", "buyer.example.com/research-bot", "5", "EUR")
    log = (folder / "log").open("wb")
    process = subprocess.Popen([str(program), "serve"], cwd=folder, stdout=log, stderr=log)
    for _ in range(200):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                break
        except httpx.HTTPError:
            pass
        assert process.poll() is None, (folder / "log").read_text()
        time.sleep(0.05)
    else:
        raise AssertionError("the front desk did not start: " + (folder / "log").read_text())
    secret = str(key["secret"]).encode()
    (folder / "secret.txt").write_bytes(secret)
    return FrontDesk(port, folder, str(key["id"]), secret, buyer, process)


def to_port(request: httpx.Request, port: int) -> httpx.Request:
    """Leads a request for the desk's public address to the port, as a proxy in front would."""
    if request.url.host == HOST:
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
    return request
