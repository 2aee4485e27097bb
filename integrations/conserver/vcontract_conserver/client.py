"""The tools of a vcontract server, called over HTTP with nothing but the standard library."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

default_options: dict[str, Any] = {
    "url": "http://127.0.0.1:8000",
    # without one, that of the environment: VCONTRACT_TOKEN
    "token": "",
    "timeout": 30,
    "attempts": 4,
}

_AGAIN = frozenset({429, 502, 503, 504})
_MAX_PAUSE_SECONDS = 30.0


class NotDone(Exception):
    """The server refused a call, or could not be asked; the conserver then puts the vCon aside."""

    def __init__(self, message: str, code: str = "", details: "dict[str, Any] | None" = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details or {}


class Client:
    """Calls tools; what is only late, busy or limited is asked again, as often as the options say."""

    def __init__(self, options: "dict[str, Any] | None") -> None:
        given = {**default_options, **(options or {})}
        url = str(given["url"]).rstrip("/")
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise NotDone(f"the option url is {url!r}; it begins with http:// or https://")
        self._url = url
        self._token = given["token"] or os.environ.get("VCONTRACT_TOKEN", "")
        self._timeout = float(given["timeout"])
        self._attempts = max(1, int(given["attempts"]))

    def call(self, tool: str, **arguments: Any) -> "dict[str, Any]":
        """The answer of a call that succeeds. Raises: NotDone."""
        for attempt in range(1, self._attempts + 1):
            try:
                return self._asked(tool, arguments)
            except _Later as later:
                if attempt == self._attempts:
                    raise NotDone(f"{tool}: {later}") from later
                time.sleep(min(later.seconds or 2.0 ** (attempt - 1), _MAX_PAUSE_SECONDS))
        raise AssertionError  # the last attempt returns or raises

    def _asked(self, tool: str, arguments: "dict[str, Any]") -> "dict[str, Any]":
        request = urllib.request.Request(  # noqa: S310  (the scheme was looked at)
            f"{self._url}/v1/tools/{tool}",
            json.dumps(arguments).encode(),
            {"Content-Type": "application/json"},
        )
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                told: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                words = _words_of(error)
            if error.code in _AGAIN:
                raise _Later(words) from error
            raise NotDone(f"{tool}: {words}", str(error.code)) from error
        except OSError as error:  # refused, lost, too slow
            raise _Later(f"{self._url} does not answer: {error}") from error
        if told.get("success"):
            return told
        details: dict[str, Any] = told.get("details") or {}
        if "retry_after_ms" in details:
            raise _Later(told["error"], details["retry_after_ms"] / 1000)
        raise NotDone(f"{tool}: {told.get('error')}", told.get("error_code", ""), details)


class _Later(Exception):
    """The same call may succeed later."""

    def __init__(self, message: str, seconds: float = 0.0) -> None:
        super().__init__(message)
        self.seconds = seconds


def _words_of(error: urllib.error.HTTPError) -> str:
    try:
        return f"{error.code}: {json.load(error)['error_description']}"
    except (ValueError, KeyError, TypeError, OSError):
        return f"{error.code}"
