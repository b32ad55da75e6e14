"""Asks front desks: any server that speaks NLWeb 0.55, Frontdesk or another.

    from frontdesk import Desk

    desk = Desk("https://www.example.com")
    for event in desk.ask("a quick vegan dinner"):
        if event.result:
            print(event.result.name, event.result.url)

`frontdesk.intent` asks publishers for passages, `frontdesk.intake` submits to businesses, `frontdesk.ramp` buys licensed
content, `frontdesk.receipts` verifies what a front desk's ledger says. What comes from a server is data: nothing of it is
trusted, and a text of it may hold anything.
"""

from .answers import NO_PREFERENCE, Action, Answer, AskedBack, Elicitation, Event, Meta, Promise, Question, Result
from .desk import AsyncDesk, Desk
from .errors import (
    Broken,
    Failure,
    FrontdeskError,
    NoResults,
    NotADesk,
    Promised,
    RateLimited,
    Unauthorized,
    Unreachable,
    Unusable,
)
from .options import Options
from .signing import Agent, load_key

__all__ = [
    "NO_PREFERENCE",
    "Action",
    "Agent",
    "Answer",
    "AskedBack",
    "AsyncDesk",
    "Broken",
    "Desk",
    "Elicitation",
    "Event",
    "Failure",
    "FrontdeskError",
    "Meta",
    "NoResults",
    "NotADesk",
    "Options",
    "Promise",
    "Promised",
    "Question",
    "RateLimited",
    "Result",
    "Unauthorized",
    "Unreachable",
    "Unusable",
    "load_key",
]
