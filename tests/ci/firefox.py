"""A headless Firefox without a network, driven over WebDriver BiDi: Debian has no geckodriver.

Firefox listens itself, at a port that it chooses and writes into its profile. Commands and events
are JSON over a websocket, whose library comes with Selenium.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tab import Tab
from websocket import create_connection

PROGRAM = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
MISSING = "Firefox is not installed (Debian: apt-get install firefox-esr)"
STARTS_S = 60
ANSWERS_S = 120
# all that is not on the disk is sent to a port where nobody listens. Firefox asks nothing of some
# ports, 9 among them, and says nothing of it
OFFLINE = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 64999,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 64999,
    "network.proxy.no_proxies_on": "localhost",
}
NO_SCRIPT = {"javascript.enabled": False}
DARK = {"layout.css.prefers-color-scheme.content-override": 0}
LEVELS = ("error", "warn")
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014"}


class Firefox(Tab):
    """A tab, which a test opens pages in and asks."""

    def __init__(self, url: str):
        self._socket = create_connection(url, timeout=ANSWERS_S, suppress_origin=True)
        self._n, self._events = 0, []
        self.call("session.new", capabilities={})
        self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def call(self, method: str, **params) -> dict:
        """Send a command of WebDriver BiDi and return its result."""
        self._n += 1
        self._socket.send(json.dumps({"id": self._n, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") != self._n:
                self._events.append(answer)
            elif answer["type"] == "error":
                raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
            else:
                return answer["result"]

    def load(self, url: str) -> None:
        """Load a page with its resources; what the one before asked for and said is forgotten."""
        self._events.clear()
        self.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def evaluate(self, script: str):
        """Return the value of a JavaScript expression, waiting for it if it is a promise."""
        given = self.call(
            "script.evaluate",
            expression=script,
            target={"context": self._tab},
            awaitPromise=True,
            serializationOptions={"maxObjectDepth": 8},
        )
        if given["type"] == "exception":
            raise RuntimeError(given["exceptionDetails"]["text"])
        return _plain(given["result"])

    def look(self, width: int, height: int = 900) -> None:
        """Have a window of so many CSS pixels."""
        size = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self._tab, viewport=size)

    def press(self, *keys: str) -> None:
        """Press keys one after another: letters, or names of KEYS."""
        strokes = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        board = {"type": "key", "id": "keyboard", "actions": strokes}
        self.call("input.performActions", context=self._tab, actions=[board])

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for since it was opened, of the disk none."""
        asked = [e for e in self._events if e["method"] == "network.beforeRequestSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[str]:
        """Return what the page said in red or yellow since it was opened."""
        said = [e["params"] for e in self._events if e["method"] == "log.entryAdded"]
        return [entry["text"] for entry in said if entry["level"] in LEVELS]

    def end(self) -> None:
        """Close Firefox."""
        self.call("browser.close")
        self._socket.close()


def _plain(value: dict):
    """Return a value that BiDi describes as Python has it."""
    kind, content = value["type"], value.get("value")
    if content is None:  # null, or a thing of the browser
        return None
    if kind == "array":
        return [_plain(each) for each in content]
    if kind == "object":
        return {key: _plain(each) for key, each in content}
    return content


@contextmanager
def browser(profile: Path, **settings: object) -> Iterator[Firefox]:
    """Start Firefox in an empty folder with settings of about:config, yield a tab, end it."""
    lines = [
        f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in (OFFLINE | settings).items()
    ]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    said = profile / "said"
    command = [PROGRAM, "--headless", "--no-remote", "--profile", profile]
    with said.open("w") as stderr:
        process = subprocess.Popen(
            [*command, "--remote-debugging-port=0"], stdout=stderr, stderr=stderr
        )
    try:
        tab = Firefox(_address(process, profile / "WebDriverBiDiServer.json", said))
        try:
            yield tab
        finally:
            tab.end()
        process.wait(STARTS_S)
    finally:
        process.kill()
        process.wait()


def _address(process: subprocess.Popen, written: Path, said: Path) -> str:
    """Return where Firefox listens, as soon as it does."""
    end = time.monotonic() + STARTS_S
    while time.monotonic() < end and process.poll() is None:
        try:
            at = json.loads(written.read_text(encoding="utf-8"))
            return f"ws://{at['ws_host']}:{at['ws_port']}/session"
        except (FileNotFoundError, json.JSONDecodeError):
            time.sleep(0.05)
    raise RuntimeError(f"Firefox did not start:\n{said.read_text(encoding='utf-8')}")
