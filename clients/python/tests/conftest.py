"""What tests share: a front desk of the built program, to which https://desk.example.com leads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import desk
import httpx
import pytest


@pytest.fixture(scope="session")
def front_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[desk.FrontDesk]:
    running = desk.start(tmp_path_factory.mktemp("program"))
    yield running
    running.process.terminate()
    running.process.wait(10)


@pytest.fixture
def served(front_desk: desk.FrontDesk, monkeypatch: pytest.MonkeyPatch) -> desk.FrontDesk:
    """Leads what is sent to https://desk.example.com to the program, and works in its folder."""
    blocking, looping = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return blocking(self, desk.to_port(request, front_desk.port))

    async def ahandle(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        return await looping(self, desk.to_port(request, front_desk.port))

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", ahandle)
    monkeypatch.chdir(front_desk.folder)
    return front_desk


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Fails what would be skipped, where every test has to run (FRONTDESK_TEST_ALL=1)."""
    report = yield
    if report.skipped and os.environ.get("FRONTDESK_TEST_ALL") == "1":
        report.outcome = "failed"
    return report


README = Path(__file__).parents[1] / "README.md"
