"""What can go wrong, as classes. Each has a `code` for programs, a message that says what to do, and `retry_after`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import Meta, Promise, Question, Result
    from .models.ramp import Offer
    from .ramp import Purchase


class FrontdeskError(Exception):
    """The error of this package: each other one is a kind of it.

    `retry_after` is how many seconds the other side wants to be left alone; None where it did not say.
    """

    code: str = "error"

    def __init__(self, message: str, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        later = f"; try again in {self.retry_after:g} seconds" if self.retry_after else ""
        return f"{self.message}{later}"


class Unusable(FrontdeskError, ValueError):
    """An argument that cannot be used: an address, a key, a combination. Nothing was sent."""

    code = "unusable"


# The way to the other side.


class Unreachable(FrontdeskError):
    """No response came."""

    code = "unreachable"

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url} cannot be reached: {why}; is a server running there, and is the address right?")
        self.url = url


class Broken(FrontdeskError):
    """A response that began and could not be read to its end.

    `cause` is `too_large`, `silent`, `incomplete` or `connection`.
    """

    code = "broken"
    WORDS = {
        "too_large": "it is larger than this client reads (see Options.max_answer and max_event)",
        "silent": "it stayed silent for too long (see Options.silence and timeout)",
        "incomplete": "it ended before it was complete; ask again",
        "connection": "the connection was lost; ask again",
    }

    def __init__(self, url: str, cause: str, why: str = "") -> None:
        super().__init__(f"the answer of {url} broke off: {why or self.WORDS[cause]}")
        self.url = url
        self.cause = cause


class NotADesk(FrontdeskError):
    """A response that is none of NLWeb's: that of a proxy, or of another kind of server."""

    code = "not_a_desk"

    def __init__(self, url: str, status: int, problem: str) -> None:
        super().__init__(f"{url} did not answer as a front desk does (status {status}): {problem}; is the address right?")
        self.url = url
        self.status = status


# A front desk's answers that are none (NLWeb 0.55 §4.1.4, §4.1.2).


class Failure(FrontdeskError):
    """What a desk answers in place of an answer: its own code and words."""

    def __init__(self, code: str, message: str, status: int, retry_after: float | None, meta: Meta, raw: Any) -> None:
        super().__init__(message or f"the front desk answered {code}", code=code, retry_after=retry_after)
        self.status = status
        self.meta = meta
        self.raw = raw
        self.question: Question | None = None

    @property
    def closest(self) -> list[Result]:
        """The nearest items where nothing is an answer."""
        from .answers import read_items

        return read_items(self.meta.closest)


class NoResults(Failure):
    """Nothing matches. `closest` may have what is near; other words may find more."""


class RateLimited(Failure):
    """Too many questions: wait for `retry_after` seconds."""


class Unauthorized(Failure):
    """The desk wants a key: give one as `token`."""


FAILURES: dict[str, type[Failure]] = {
    "NO_RESULTS": NoResults,
    "RATE_LIMITED": RateLimited,
    "UNAUTHORIZED": Unauthorized,
    "FORBIDDEN": Unauthorized,
}


class Promised(FrontdeskError):
    """An answer for later. `desk.wait(error.promise)` has it when it is there, `desk.cancel` ends the work."""

    code = "promise"

    def __init__(self, promise: Promise) -> None:
        words = f": {promise.message}" if promise.message else ""
        super().__init__(f"the front desk promises an answer for later{words}; call wait() to have it")
        self.promise = promise
        self.question: Question | None = None


# Publishers of the Agentic Intent Protocol.


class Denied(FrontdeskError):
    """A publisher's decision to give nothing: `code` is its reason.

    `status` is that of HTTP, or 0 where the declaration itself denies and nobody was asked.
    """

    def __init__(self, reason: str, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(_worded("the publisher denies it", reason, message), code=reason, retry_after=retry_after)
        self.reason = reason
        self.words = message
        self.status = status


class Failed(FrontdeskError):
    """An error that a publisher answers: no decision about consent. `code` is `no_content` where nothing matches."""

    def __init__(self, code: str, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(_worded("the publisher answered an error", code, message), code=code, retry_after=retry_after)
        self.words = message
        self.status = status


class Invalid(FrontdeskError):
    """A document that is not what the protocol has there. Nothing of it is used."""

    code = "invalid"

    def __init__(self, url: str, status: int, problem: str) -> None:
        super().__init__(f"what {url} sent (status {status}) is not valid: {problem}; tell its owner")
        self.url = url
        self.status = status
        self.problem = problem


class Forged(FrontdeskError):
    """An answer whose signature is not that of the key over that answer."""

    code = "forged"


class Unsigned(FrontdeskError):
    """An answer without a signature, where `require_signed` wants one."""

    code = "unsigned"


# Businesses of the Agent Intake Protocol.


class Unfit(FrontdeskError):
    """Nothing was sent: the data does not fit. `members` are the pointers of what does not."""

    code = "unfit"

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        texts = "; ".join(f"{pointer or 'the data'} {problem}" for pointer, problem in problems)
        super().__init__(f"nothing was sent, since the data does not fit: {texts}")
        self.members = [pointer for pointer, _ in problems]


class PersonalData(FrontdeskError):
    """Nothing was sent: something looks personal, and `personal=True` does not say that the person authorized it."""

    code = "personal_data"

    def __init__(self, members: Sequence[str]) -> None:
        names = ", ".join(members)
        super().__init__(f"nothing was sent, since this looks like personal data: {names}; ask the person, then pass personal=True")
        self.members = list(members)


class Declined(FrontdeskError):
    """A business cannot serve this; `reason` is in its words."""

    code = "declined"

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(f"the business declines: {reason or 'it does not say why'}")
        self.reason = reason
        self.status = status


class Pending(FrontdeskError):
    """A business needs longer: submit the same data again in `session` after `retry_after` seconds."""

    code = "pending"

    def __init__(self, session: str, retry_after: float | None) -> None:
        super().__init__("the business needs longer; submit the same data in the same session again", retry_after=retry_after)
        self.session = session


class Refused(FrontdeskError):
    """An error that a business answers."""

    def __init__(self, code: str, message: str, status: int, retry_after: float | None = None) -> None:
        words = message or "it does not say why"
        super().__init__(f"the business answered {status} {code}: {words}", code=code, retry_after=retry_after)
        self.words = message
        self.status = status


class NotAnIntake(Invalid):
    """A document that is not what the Agent Intake Protocol has there."""

    code = "not_an_intake"


class OfferExpired(FrontdeskError):
    """The offer has ended; nobody was asked."""

    code = "expired"

    def __init__(self) -> None:
        super().__init__("the offer has ended; submit the intake again for another")


# Exchanges of RAMP v1.


class ExchangeError(FrontdeskError):
    """A failure that an Exchange answers, by Connect's code such as `unauthenticated`."""

    def __init__(self, code: str, message: str, status: int, retry_after: float | None = None, hint: str = "") -> None:
        words = message or "it does not say why"
        super().__init__(f"the Exchange answered {status} {code}: {words}{hint}", code=code, retry_after=retry_after)
        self.words = message
        self.status = status


class NotAnExchange(FrontdeskError):
    """A document or an answer that is not what RAMP v1 has there. Nothing of it is used."""

    code = "not_an_exchange"

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"{url} is not RAMP v1: {problem}")
        self.url = url


class NotBought(FrontdeskError):
    """Nothing was bought, and nothing paid. `code` is RAMP's reason, or `too_dear` or `no_offer`."""


class Unfinished(FrontdeskError):
    """Whether it was bought is not known: `execute(error.offer, id=error.id)` goes on, and buys nothing twice."""

    code = "unfinished"

    def __init__(self, id: str, offer: Offer, cause: FrontdeskError) -> None:
        super().__init__(f"whether the purchase {id} was made is not known: {cause.message}; call execute with its id and offer")
        self.id = id
        self.offer = offer


class Overcharged(FrontdeskError):
    """It was bought, and more was charged than was offered: dispute `purchase`."""

    code = "overcharged"

    def __init__(self, purchase: Purchase) -> None:
        super().__init__(f"the purchase {purchase.transaction} was charged {purchase.cost}, more than was offered; dispute it")
        self.purchase = purchase


class Rejected(FrontdeskError):
    """A report that the Exchange did not take."""

    code = "rejected"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the Exchange did not take the report: {reason or 'it does not say why'}")
        self.reason = reason


class NotDisputed(FrontdeskError):
    """A dispute that the Exchange does not take up; `dispute` is the one that there is already."""

    code = "not_disputed"

    def __init__(self, reason: str, dispute: str) -> None:
        super().__init__(f"the Exchange did not take up the dispute: {reason or 'it does not say why'}")
        self.reason = reason
        self.dispute = dispute


class OtherContent(FrontdeskError):
    """What was delivered is not what was offered: do not use it, and dispute the purchase."""

    code = "other_content"

    def __init__(self) -> None:
        super().__init__("what was delivered is not what was offered: its hash is another; do not use it, and dispute the purchase")


class Damaged(FrontdeskError):
    """What was delivered is not what its own digest says."""

    code = "damaged"

    def __init__(self) -> None:
        super().__init__("what was delivered is not what its Repr-Digest says; fetch it again, or dispute the purchase")


class Untrue(FrontdeskError):
    """A receipt that does not hold; the message says which part."""

    code = "untrue"


def _worded(what: str, word: str, message: str) -> str:
    return f"{what}: {message} ({word})" if message else f"{what}: {word}"
