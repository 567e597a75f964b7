"""The errors of the backend.

::

    HeadwaterError                    code, message, hint
    ├── QuestionError                 the caller can fix it
    │   ├── UnknownDataset            UNKNOWN_DATASET
    │   ├── UnknownPath               UNKNOWN_PATH
    │   ├── UnknownJob                UNKNOWN_JOB
    │   ├── UnknownCategory           UNKNOWN_CATEGORY
    │   ├── UnmatchedRule             RULE_UNMATCHED
    │   ├── UnknownDeadLetter         UNKNOWN_DEAD_LETTER
    │   ├── OutOfTime                 OUT_OF_TIME (``headwater_backend.domain.deadline``)
    │   └── BadQuestion               BAD_QUESTION
    │       ├── BadCondition          BAD_CONDITION: ``where`` is not understood
    │       ├── BadThreshold          BAD_THRESHOLD: of how many ways an answer stops
    │       └── NoActiveLineage       NO_ACTIVE_LINEAGE: it is not asked for in this way
    ├── RulesError                    RULES_INVALID (file and line)
    ├── EventError                    the sender can fix it; own code for each rule, with a JSON pointer
    ├── NotAuthenticated              UNAUTHENTICATED: no key or token, or none that is valid
    ├── Forbidden                     FORBIDDEN: the caller is known, and may not
    ├── StoreUrlError                 STORE_URL: a store's URL of a form that we do not have
    ├── StoreVersionError             STORE_VERSION: the store was written by a newer Headwater
    ├── StoreFailedError              STORE_FAILED: the store answered, but refused the statement
    └── StoreUnavailable              STORE_UNAVAILABLE; nobody is to blame, try again

Every error has a stable ``code`` for programs, a message for people, and mostly a ``hint`` about how to
fix it. Anything else that is raised is a bug: it is logged in full and shown masked.
"""

# The names describe a condition (`except StoreUnavailable`).
# ruff: noqa: N818

from __future__ import annotations


class HeadwaterError(Exception):
    """The root: ``code`` is stable, ``hint`` describes how to fix the cause."""

    code: str = "INTERNAL"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class QuestionError(HeadwaterError):
    """A question that cannot be answered as it was asked."""

    code = "BAD_QUESTION"


class UnknownDataset(QuestionError):
    """No event ever named this dataset."""

    code = "UNKNOWN_DATASET"


class UnknownPath(QuestionError):
    """The dataset is known, but no schema and no lineage of it names this path."""

    code = "UNKNOWN_PATH"


class UnknownJob(QuestionError):
    """No event ever named this job."""

    code = "UNKNOWN_JOB"


class UnknownCategory(QuestionError):
    """The category is not one of fideslang's."""

    code = "UNKNOWN_CATEGORY"


class UnmatchedRule(QuestionError):
    """A rule of the caller matches no path of any known dataset."""

    code = "RULE_UNMATCHED"


class UnknownDeadLetter(QuestionError):
    """No dead letter has this key, or none has it any more."""

    code = "UNKNOWN_DEAD_LETTER"


class BadQuestion(QuestionError):
    """An argument that makes no sense, such as a negative depth."""

    code = "BAD_QUESTION"


class BadCondition(BadQuestion):
    """A condition on rows that is not understood, or speaks of what is not known."""

    code = "BAD_CONDITION"


class BadThreshold(BadQuestion):
    """A number of ways at which no answer can stop."""

    code = "BAD_THRESHOLD"


class NoActiveLineage(BadQuestion):
    """Active lineage of what it is not made for, such as a coarser level."""

    code = "NO_ACTIVE_LINEAGE"


class RulesError(HeadwaterError):
    """A rules file that cannot be used; ``line`` counts from 1."""

    code = "RULES_INVALID"

    def __init__(self, file: str, line: int, detail: str, hint: str | None = None) -> None:
        super().__init__(f"{file}, line {line}: {detail}", hint)
        self.file = file
        self.line = line
        self.detail = detail


class EventError(HeadwaterError):
    """An event that is refused; ``pointer`` is the JSON pointer of the place."""

    def __init__(self, code: str, pointer: str, detail: str, hint: str | None = None) -> None:
        super().__init__(f"{pointer or 'the event'}: {detail}", hint)
        self.code = code
        self.pointer = pointer
        self.detail = detail


class NotAuthenticated(HeadwaterError):
    """The caller is unknown; the message never reveals which part of a credential was wrong."""

    code = "UNAUTHENTICATED"


class Forbidden(HeadwaterError):
    """The caller is known, and may not do this."""

    code = "FORBIDDEN"


class StoreUnavailable(HeadwaterError):
    """The store does not answer; ``retry_after`` is in seconds."""

    code = "STORE_UNAVAILABLE"

    def __init__(self, message: str, hint: str | None = None, retry_after: int = 5) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class StoreUrlError(HeadwaterError):
    """A store URL of a form that we do not have."""

    code = "STORE_URL"


class StoreVersionError(HeadwaterError):
    """The store was written by a newer Headwater."""

    code = "STORE_VERSION"

    def __init__(self, place: str, found: int, known: int) -> None:
        message = f"the store at {place} is of a newer Headwater: it has migration {found}, and {known} are known here"
        super().__init__(message, "use the newer Headwater on it")


class StoreFailedError(HeadwaterError):
    """The store answered, but refused a statement: a bug, or somebody changed the store by hand."""

    code = "STORE_FAILED"
