"""A headless Chromium over its DevTools pipe: file descriptors 3 and 4, JSON ended by NUL."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from select import select

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# the pages are our own; no sandbox, as CI may be root or in a container without user namespaces
OPTIONS = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --remote-debugging-pipe"
START = (  # DevTools' two descriptors, then the program and its options
    *(sys.executable, "-c"),
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4);"
    "os.execv(sys.argv[3], sys.argv[3:])",
)


class Browser:
    """A tab of a running Chromium."""

    def __init__(self, to_browser: int, from_browser: int, time_limit_s: float):
        self.to_browser, self.from_browser = to_browser, from_browser
        self.deadline = time.monotonic() + time_limit_s
        self.events: list[dict] = []
        self.pending = b""
        self.last_id, self.session = 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params) -> dict:
        """Send a command and return its result; events that come before it are kept."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def load(self, url: str) -> list[dict]:
        """Load a page and return every event until it and its resources have loaded."""
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())
        return self.events

    def open(self, url: str) -> list[dict]:
        """Do the same of a page with JavaScript, which may do something after it has loaded."""
        self.load(url)
        self.evaluate("new Promise(done => setTimeout(done, 300))")  # what starts after the load
        return self.events

    def evaluate(self, script: str):
        """Return the value of a JavaScript expression, waiting for it if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        return answer["result"].get("value")

    def _read(self) -> dict:
        while b"\0" not in self.pending:
            left_s = self.deadline - time.monotonic()
            if left_s <= 0 or not select([self.from_browser], [], [], left_s)[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended; its messages are above")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)


@contextmanager
def browser(time_limit_s: float = 120):
    """Start Chromium with an empty profile, yield a Browser, end it."""
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(
        prefix="evenflow-chromium.", ignore_cleanup_errors=True
    ) as home:
        profile = f"--user-data-dir={Path(home) / 'profile'}"
        process = subprocess.Popen(
            [*START, str(from_us), str(to_us), PROGRAM, *OPTIONS.split(), profile, "about:blank"],
            pass_fds=(from_us, to_us),
            env={**os.environ, "HOME": home},
        )
        os.close(from_us)
        os.close(to_us)
        try:
            yield Browser(to_browser, from_browser, time_limit_s)
        finally:
            os.close(to_browser)  # ends Chromium
            os.close(from_browser)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
