"""Holds the client, in a thread and in an event loop, to the transcripts that all clients play."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from player import ADDRESS, TRANSCRIPTS, Player, within

from frontdesk import AsyncDesk, Desk, Options, Result, errors
from frontdesk.answers import Answer
from frontdesk.intake import AsyncBusiness, Business, IntakeAgent
from frontdesk.intent import AsyncPublisher, Platform, Publisher
from frontdesk.ramp import AsyncExchange, Buyer, Exchange
from frontdesk.signing import PlatformKey

FILES = sorted(TRANSCRIPTS.glob("*.json"))
assert FILES, f"there are no transcripts in {TRANSCRIPTS}"

KINDS: dict[type[errors.FrontdeskError], str] = {
    errors.Failure: "failure",
    errors.NotADesk: "not_a_desk",
    errors.Broken: "broken",
    errors.Unreachable: "unreachable",
    errors.Denied: "denied",
    errors.Failed: "failed",
    errors.NotAnIntake: "not_an_intake",
    errors.Invalid: "invalid",
    errors.Forged: "forged",
    errors.Unsigned: "unsigned",
    errors.Unfit: "unfit",
    errors.PersonalData: "personal_data",
    errors.Declined: "declined",
    errors.Pending: "pending",
    errors.Refused: "refused",
    errors.OfferExpired: "expired",
    errors.ExchangeError: "exchange",
    errors.NotAnExchange: "not_an_exchange",
    errors.Rejected: "rejected",
    errors.NotDisputed: "not_disputed",
    errors.OtherContent: "other_content",
    errors.Damaged: "damaged",
}


class Blocking:
    """Does what a step says with the clients that block."""

    kinds: Any = (Desk, Publisher, Business, Exchange)

    def __init__(self, player: Player) -> None:
        self.http: Any = httpx.Client(transport=httpx.MockTransport(player.handle))
        self.sleep: Any = player.sleep

    def of(self, value: Any) -> Any:
        """Gives the result of a call."""
        return value

    def events(self, stream: Any) -> Iterator[Any]:
        """Gives the events of a stream, as they come."""
        yield from stream

    def close(self) -> None:
        self.http.close()


class Looping(Blocking):
    """Does what a step says with the clients for an event loop."""

    kinds = (AsyncDesk, AsyncPublisher, AsyncBusiness, AsyncExchange)

    def __init__(self, player: Player) -> None:
        self.loop = asyncio.new_event_loop()
        self.http = httpx.AsyncClient(transport=httpx.MockTransport(player.handle))
        self.sleep = player.asleep

    def of(self, value: Any) -> Any:
        return self.loop.run_until_complete(value)

    def events(self, stream: Any) -> Iterator[Any]:
        async def following() -> Any:
            return await anext(stream, None)

        while (event := self.of(following())) is not None:
            yield event

    def close(self) -> None:
        self.of(self.http.aclose())
        self.loop.close()


def options(told: dict[str, Any], player: Player) -> Options:
    return Options(**told, now=player.clock)


def items(results: list[Result]) -> list[dict[str, Any]]:
    names = ("index", "types", "name", "url", "description", "site", "score")
    return [{name: getattr(each, name) for name in names} for each in results]


def answered(answer: Answer | None) -> Any:
    if answer is None:
        return None
    asked = answer.elicitation.model_dump() if answer.elicitation else None
    return {
        "summary": answer.summary,
        "cited": items(answer.cited),
        "results": items(answer.results),
        "meta": answer.meta.raw,
        "elicitation": asked,
    }


def told_of(error: errors.FrontdeskError) -> dict[str, Any]:
    """Gives an error as transcripts have it."""
    if isinstance(error, errors.Promised):
        return {"kind": "promise", **dataclasses.asdict(error.promise)}
    kind = next((name for of, name in KINDS.items() if isinstance(error, of)), "other")
    told = {"kind": kind, **vars(error), "code": error.code, "retry_after": error.retry_after or 0}
    if "words" in told:
        told["message"] = told["words"]
    if isinstance(error, errors.Failure):
        told["closest"] = items(error.closest)
    return told


def nlweb(way: Blocking, doc: dict[str, Any], player: Player) -> Callable[[dict[str, Any]], Any]:
    desk = way.kinds[0](ADDRESS, options=options(doc.get("options", {}), player), http=way.http)
    desk.way.sleep = way.sleep
    turn: list[Any] = []
    before: list[Any] = []

    def stream(asking: dict[str, Any]) -> Any:
        partial = Answer()
        try:
            for event in way.events(desk.ask(asking.pop("text"), **asking)):
                if event.result:
                    partial.take(event.result)
                partial = event.answer or partial
        except errors.FrontdeskError as error:
            error.partial = answered(partial)  # type: ignore[attr-defined]
            raise
        return answered(partial)

    def call(step: dict[str, Any]) -> Any:
        asking, do = dict(step.get("with", {})), step["do"]
        if do == "stream":
            return stream(asking)
        if do == "forget":
            last = turn[-1]
            turn.clear()
            return way.of(desk.forget(last))
        if do in ("await", "cancel"):
            return answered(way.of((desk.check if do == "await" else desk.cancel)(asking["token"])))
        if do == "reply":
            answer = way.of(desk.reply(before[-1], asking["answers"]))
        elif do == "follow" and turn:
            answer = following(lambda: way.of(desk.follow(turn[-1], asking["text"])))
        else:
            wait = 600 if do == "wait" else 0
            answer = following(lambda: way.of(desk.answer(asking.pop("text"), wait=wait, **asking)))
        before.append(answer)
        return answered(answer)

    def following(ask: Callable[[], Any]) -> Any:
        try:
            turn.append(ask())
        except (errors.Failure, errors.Promised) as error:
            turn.append(error)
            raise
        return turn[-1]

    return call


def intent(way: Blocking, doc: dict[str, Any], player: Player) -> Callable[[dict[str, Any]], Any]:
    who = doc["who"]
    platform = Platform(who["platform"], PlatformKey(who["key"], who["secret"].encode()), who.get("require_signed", False))
    publisher = way.kinds[1](ADDRESS, platform, options=options(doc.get("options", {}), player), http=way.http)
    publisher.way.sleep = way.sleep
    passages: list[Any] = []

    def call(step: dict[str, Any]) -> Any:
        asking, do = dict(step.get("with", {})), step["do"]
        if do == "open":
            return {"publisher": way.of(publisher.open()).publisher.id}
        if do == "cite":
            return way.of(publisher.cite(passages[-1], asking["source_url"], surface=asking["surface"], event_id=asking["event"]))
        if do == "confirm":
            return way.of(publisher.confirm(passages[-1]))
        passages.append(way.of(publisher.retrieve(asking.pop("domain"), **asking)))
        return dataclasses.asdict(passages[-1])

    return call


def intake(way: Blocking, doc: dict[str, Any], player: Player) -> Callable[[dict[str, Any]], Any]:
    who = doc["who"]
    agent = IntakeAgent(who["agent"], who.get("platform", ""), who.get("name", ""))
    business = way.kinds[2](ADDRESS, agent=agent, options=options(doc.get("options", {}), player), http=way.http)
    business.way.sleep = way.sleep
    offers: list[Any] = []

    def call(step: dict[str, Any]) -> Any:
        asking, do = dict(step.get("with", {})), step["do"]
        if do == "open":
            return {"intakes": [each.id for each in way.of(business.open()).intakes]}
        if do == "bind":
            return dataclasses.asdict(way.of(business.bind(offers[-1], asking["data"])))
        offers.append(way.of(business.submit(asking.pop("intake"), asking.pop("data"), **asking)))
        return {"session": offers[-1].session, "offer": offers[-1].offer.model_dump(mode="json", exclude_none=True)}

    return call


def ramp(way: Blocking, doc: dict[str, Any], player: Player) -> Callable[[dict[str, Any]], Any]:
    who = doc["who"]
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(who["seed"])) if "seed" in who else None
    buyer = Buyer(who["id"], who["domain"], key, who.get("key_id", ""))
    exchange = way.kinds[3](ADDRESS, buyer, options=options(doc.get("options", {}), player), http=way.http)
    exchange.way.sleep = way.sleep
    offers: list[Any] = []
    bought: list[Any] = []

    def call(step: dict[str, Any]) -> Any:
        asking, do = dict(step.get("with", {})), step["do"]
        if do == "open":
            return {"exchange": way.of(exchange.open())["domain"]}
        if do == "discover":
            quotes = way.of(exchange.discover(asking["uris"], uses=asking.get("uses", ())))
            offers[:] = [offer for quote in quotes for offer in quote.offers] or offers
            told = [{**vars(each), "offers": [o.offer_id for o in each.offers], "passed": len(each.passed)} for each in quotes]
            return {"quotes": told}
        if do == "buy":
            one = way.of(exchange.execute(offers[0], id=asking["id"]))
            bought.append(one)
            return {"transaction": one.transaction, "billing": one.billing, "denied": one.denied, "url": one.url}
        if do == "fetch":
            content = way.of(exchange.deliver(bought[-1], accept=asking.get("accept", ())))
            return {**vars(content), "body": content.text}
        if do == "report":
            uses = asking.get("functions", ())
            return {"report": way.of(exchange.report_usage(bought[-1], asking["quantity"], uses=uses, id=asking["id"]))}
        words = asking.get("description", "")
        return_ = exchange.dispute(bought[-1], asking["reason"], report_id=asking["report"], description=words, id=asking["id"])
        dispute = way.of(return_)
        return {"dispute": dispute.id, "status": dispute.status}

    return call


CALLERS = {"nlweb": nlweb, "intent": intent, "intake": intake, "ramp": ramp}


@pytest.mark.parametrize("kind", [Blocking, Looping])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_client_plays_the_transcript(file: Path, kind: type[Blocking]) -> None:
    doc = json.loads(file.read_text())
    begins = doc.get("now", "2026-03-01T12:00:00Z").replace("Z", "+00:00")
    player = Player(doc.get("who", {}), datetime.fromisoformat(begins))
    way = kind(player)
    call = CALLERS[doc["protocol"]](way, doc, player)
    for number, step in enumerate(doc["steps"], 1):
        at = f"step {number} ({step['do']})"
        player.begin(step["exchanges"])
        result, told = None, None
        try:
            result = call(step)
        except errors.FrontdeskError as error:
            told, result = told_of(error), getattr(error, "partial", None)
            assert str(error), f"{at}: the error says nothing"
        assert not player.faults, f"{at}: {player.faults}"
        assert not player.exchanges, f"{at}: {len(player.exchanges)} requests were not made ({told})"
        assert (told is None) == ("error" not in step), f"{at}: the error is {told}"
        assert "error" not in step or within(step["error"], told), f"{at}: the error is {told}, want {step['error']}"
        assert "result" not in step or within(step["result"], result), f"{at}: the result is {result}, want {step['result']}"
    way.close()
