"""Holds the client against the built program: what it asks, signs, buys and verifies is taken there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import desk
import httpx
import pytest

from frontdesk import AsyncDesk, Desk, Promised, errors, receipts
from frontdesk.intake import Business
from frontdesk.intent import AsyncPublisher, Platform, Publisher
from frontdesk.ramp import AsyncExchange, Buyer, Exchange
from frontdesk.signing import PlatformKey, load_key


def test_asks_follows_and_streams(served: desk.FrontDesk) -> None:
    with Desk(desk.ADDRESS) as front:
        answer = front.answer("soup", limit=5)
        assert {result.name for result in answer.results} == {"Lentil soup", "Tomato soup"}
        assert [result.name for result in front.follow(answer, "only vegan").results] == ["Lentil soup"]
        events = [event.type for event in front.ask("soup", modes=["list", "summarize"])]
        assert events[0] == "start" and events[-1] == "complete" and "result" in events and "summary" in events
        assert front.answer("the oil lamp report", limit=1).results[0].for_sale
        with pytest.raises(errors.NoResults):
            front.answer("zyzzyva qwrtp")


def test_answers_what_is_asked_back_and_waits_for_promises(served: desk.FrontDesk) -> None:
    with Desk(desk.ADDRESS) as front:
        asked = front.answer("dinner")
        assert asked.elicitation and asked.elicitation.questions[0].id == "diet"
        assert [result.name for result in front.reply(asked, {"diet": "vegan"}).results] == ["Lentil soup"]
        with pytest.raises(Promised) as later:
            front.answer("soup", fresh=True)
        assert len(front.wait(later.value.promise).results) == 2
        assert front.answer("soup", fresh=True, wait=60).results
        with pytest.raises(errors.Failure) as unknown:
            front.check("promise_nobody_made")
        assert unknown.value.code == "PROMISE_NOT_FOUND"


def test_asks_many_at_once_in_an_event_loop(served: desk.FrontDesk) -> None:
    async def ask() -> list[int]:
        async with AsyncDesk(desk.ADDRESS) as front:
            answers = await asyncio.gather(*(front.answer("soup") for _ in range(8)))
            streamed = [event async for event in front.ask("soup")]
            assert streamed[-1].answer
            return [len(answer.results) for answer in [*answers, streamed[-1].answer]]

    assert asyncio.run(ask()) == [2] * 9


def test_leaves_a_stream_when_the_caller_does(served: desk.FrontDesk) -> None:
    with Desk(desk.ADDRESS) as front:
        for event in front.ask("soup"):
            if event.result:
                break
        assert front.answer("soup").results


def platform(served: desk.FrontDesk, secret: bytes | None = None) -> Platform:
    return Platform("example_chat", PlatformKey(served.platform_key, secret or served.secret), require_signed=True)


def test_retrieves_cites_and_verifies_a_receipt(served: desk.FrontDesk) -> None:
    with Publisher(desk.ADDRESS, platform(served)) as publisher:
        passages = publisher.retrieve("food", "how do I season a pan?")
        assert passages.signed and "pan" in passages.chunks[0].text
        publisher.cite(passages, passages.citations[0].source_url, surface="footnote")
        publisher.confirm(passages)
        with pytest.raises(errors.Unusable, match="not at the publisher"):
            publisher.receipt(replace(passages, receipt="https://elsewhere.example/receipt"))
        receipt = publisher.receipt(passages)
        keys = httpx.get(f"http://127.0.0.1:{served.port}/.well-known/jwks.json").content
        checkpoint = receipts.verify(receipt, keys)
        assert checkpoint.origin and receipt.entry["kind"] == "access"
        for changed in (
            replace(receipt, entry={**receipt.entry, "party": "platform:somebody"}),
            replace(receipt, index=receipt.index + 1),
            replace(receipt, checkpoint=receipt.checkpoint.replace("\n", "\n0", 1)),
        ):
            with pytest.raises(errors.Untrue):
                receipts.verify(changed, keys)
        with pytest.raises(errors.Denied) as denied:
            publisher.retrieve("sports")
        assert denied.value.code == "out_of_scope"


def test_a_wrong_secret_is_refused(served: desk.FrontDesk) -> None:
    with Publisher(desk.ADDRESS, platform(served, b"another secret")) as publisher:
        with pytest.raises(errors.FrontdeskError) as refused:
            publisher.retrieve("food", "pan")
        assert refused.value.code in ("auth_failed", "forged")


def test_retrieves_in_an_event_loop(served: desk.FrontDesk) -> None:
    async def retrieve() -> int:
        async with AsyncPublisher(desk.ADDRESS, platform(served)) as publisher:
            return len((await publisher.retrieve("food", "soup")).chunks)

    assert asyncio.run(retrieve()) > 0


def test_submits_and_accepts_an_offer(served: desk.FrontDesk) -> None:
    with Business(desk.ADDRESS) as business:
        assert [each.id for each in business.open().intakes] == ["repair"]
        offered = business.submit("repair", {"thing": "lamp"})
        assert offered.summary == "We repair a lamp for 20 EUR." and offered.requires == ["email"]
        with pytest.raises(errors.Unfit):
            business.bind(offered, {})
        bound = business.bind(offered, {"email": "jane@example.com"})
        assert bound.status == "bound" and bound.message == "We look forward to it."
        assert business.bind(offered, {"email": "jane@example.com"}).status == "bound"
        with pytest.raises(errors.Refused) as taken:
            business.bind(offered, {"email": "other@example.com"})
        assert taken.value.code == "OFFER_ALREADY_BOUND" and taken.value.status == 409
        with pytest.raises(errors.Unfit):
            business.submit("repair", {"thing": "car"})
        with pytest.raises(errors.PersonalData):
            business.submit("repair", {"thing": "lamp", "note": "call jane@example.com"})


def test_an_offer_that_ended_or_leads_elsewhere_is_not_accepted(served: desk.FrontDesk) -> None:
    with Business(desk.ADDRESS) as business:
        offered = business.submit("repair", {"thing": "lamp"})
        ended = offered.offer.model_copy(update={"expires": datetime.now(timezone.utc)})
        with pytest.raises(errors.OfferExpired):
            business.bind(replace(offered, offer=ended), {"email": "jane@example.com"})
        elsewhere = offered.offer.model_copy(update={"bind_endpoint": "https://elsewhere.example/bind"})
        with pytest.raises(errors.Unusable, match="bind_hosts"):
            business.bind(replace(offered, offer=elsewhere), {"email": "jane@example.com"})


def buyer(served: desk.FrontDesk) -> Buyer:
    return Buyer("research-bot", "buyer.example.com", load_key(served.folder / "agent-1.pem"))


REPORT = f"{desk.ADDRESS}/premium/report"


def test_buys_fetches_reports_and_disputes(served: desk.FrontDesk) -> None:
    with Exchange(desk.ADDRESS, buyer(served)) as exchange:
        quotes = exchange.discover([REPORT, f"{desk.ADDRESS}/nowhere"])
        assert quotes[0].offers and not quotes[0].passed
        assert not quotes[1].offers and quotes[1].absence
        bought = exchange.execute(quotes[0].offers[0])
        again = exchange.execute(quotes[0].offers[0], id=bought.id)
        assert again.transaction == bought.transaction and str(bought.cost) == "0.02 EUR" and bought.must_report
        content = exchange.deliver(bought, accept=["text/plain"])
        assert "Sentence 39 of the report" in content.text and content.digested
        report = exchange.report_usage(bought)
        assert exchange.report_usage(bought) == report
        dispute = exchange.dispute(bought, "wrong-content", report_id=report, description="Not what I asked for.", content=content)
        assert dispute.id and dispute.status
        assert exchange.deliver(bought).offered


def test_buys_no_dearer_than_it_may(served: desk.FrontDesk) -> None:
    with Exchange(desk.ADDRESS, buyer(served)) as exchange:
        with pytest.raises(errors.NotBought) as dear:
            exchange.buy(REPORT, max="0.01", currency="EUR")
        assert dear.value.code == "too_dear"
        with pytest.raises(errors.NotBought):
            exchange.buy(REPORT, max="1", currency="USD")
        with pytest.raises(errors.NotBought) as prohibited:
            exchange.buy(REPORT, max="1", currency="EUR", uses=["ai-train"])
        assert prohibited.value.code == "no_offer"
        assert exchange.buy(REPORT, max="0.02", currency="EUR").transaction


def test_an_unknown_key_buys_nothing(served: desk.FrontDesk) -> None:
    stranger = replace(buyer(served), key=None)
    with Exchange(desk.ADDRESS, stranger) as exchange, pytest.raises(errors.ExchangeError) as refused:
        exchange.discover(REPORT)
    assert refused.value.code == "unauthenticated"


def test_buys_in_an_event_loop(served: desk.FrontDesk) -> None:
    async def buy() -> str:
        async with AsyncExchange(desk.ADDRESS, buyer(served)) as exchange:
            bought = await exchange.buy(REPORT, max="0.05", currency="EUR")
            return (await exchange.deliver(bought)).text

    assert "Sentence 39" in asyncio.run(buy())


def test_an_offer_whose_price_was_changed_on_the_way_is_passed_over(served: desk.FrontDesk) -> None:
    class Cheaper(httpx.BaseTransport):
        inner = httpx.HTTPTransport()

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            got = self.inner.handle_request(request)
            got.read()
            body = got.content.replace(b'"rate": 0.02', b'"rate": 0.01').replace(b'"rate":0.02', b'"rate":0.01')
            return httpx.Response(got.status_code, headers=got.headers, stream=httpx.ByteStream(body))

    http = httpx.Client(transport=Cheaper())
    with Exchange(desk.ADDRESS, buyer(served), http=http) as exchange:
        quote = exchange.discover(REPORT)[0]
    http.close()
    assert not quote.offers and "not signed" in quote.passed[0]


def test_a_model_calls_the_tools(served: desk.FrontDesk) -> None:
    with Desk(desk.ADDRESS) as front:
        told = front.call_tool("ask_site", '{"question": "soup", "limit": 1}')
        assert '"Lentil soup"' in told or '"Tomato soup"' in told
        assert "ask_the_person" in front.call_tool("ask_site", {"question": "dinner"})
        assert "NO_RESULTS" in front.call_tool("ask_site", {"question": "zyzzyva qwrtp"})
        assert "unusable" in front.call_tool("ask_site", {"question": "soup", "limit": "many"})
        assert "unusable" in front.call_tool("buy_all", {})
        assert front.tools("anthropic")[0]["input_schema"] == front.tools()[0]["function"]["parameters"]


def test_retrievers_of_other_libraries(served: desk.FrontDesk) -> None:
    from frontdesk.langchain import FrontdeskRetriever as OfLangChain
    from frontdesk.llama_index import FrontdeskRetriever as OfLlamaIndex

    chain = OfLangChain(url=desk.ADDRESS, asking={"limit": 2})
    found: list[Any] = [*chain.invoke("soup"), *asyncio.run(chain.ainvoke("soup"))]
    assert len(found) == 4 and all(each.page_content and each.metadata["source"].startswith(desk.ADDRESS) for each in found)
    assert chain.invoke("zyzzyva qwrtp") == []
    index = OfLlamaIndex(desk.ADDRESS, limit=2)
    nodes: list[Any] = [*index.retrieve("soup"), *asyncio.run(index.aretrieve("soup"))]
    assert len(nodes) == 4 and all(0 < each.score <= 1 and each.node.metadata["source"] for each in nodes)
    assert index.retrieve("zyzzyva qwrtp") == []

