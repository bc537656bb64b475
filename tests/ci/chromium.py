"""A headless Chromium without a network, driven by Selenium and its chromedriver."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from tab import Tab

ROOT = Path(__file__).parents[2]
PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
MISSING = "Chromium and chromedriver are not installed (Debian: apt-get install chromium-driver)"
# the pages are our own; no sandbox, as CI may be root or in a container without user namespaces
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
# axe-core, which finds what keeps readers with other senses or hands out
AXE = Path(os.environ.get("EVENFLOW_AXE") or ROOT / "node_modules/axe-core/axe.min.js")
NO_AXE = "axe-core is not there: see .ci/run, and EVENFLOW_AXE=path"
LEVELS = ("SEVERE", "WARNING")  # of what a page says in the console, exceptions among it


class Browser(Tab):
    """A tab, which a test opens pages in and asks."""

    def __init__(self):
        self.start()
        self.look(1200)

    def start(self) -> None:
        """Start Chromium with an empty profile."""
        options = webdriver.ChromeOptions()
        options.binary_location = PROGRAM
        for option in OPTIONS:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, Service(DRIVER))
        self.call("Network.enable")
        self.call("Network.emulateNetworkConditions", **OFFLINE)

    def restart(self) -> bool:
        """Open the page anew in another Chromium."""
        url = self.driver.current_url
        self.driver.quit()
        self.start()
        self.look(*self.looks)
        self.open(url)
        return True

    def call(self, method: str, **params) -> dict:
        """Send a command of Chromium's DevTools and return its result."""
        return self.driver.execute_cdp_cmd(method, params)

    def load(self, url: str) -> None:
        """Load a page with its resources; what the one before asked for and said is forgotten."""
        self.requests(), self.complaints()
        self.driver.get(url)

    def evaluate(self, script: str):
        """Return the value of a JavaScript expression, waiting for it if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        return answer["result"].get("value")

    def look(self, width: int, scheme: str = "light", height: int = 900) -> None:
        """Have a window of so many CSS pixels, and a colour scheme that the reader prefers."""
        self.looks = width, scheme, height
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        preferred = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=preferred)

    def violations(self, options: str = "{}", within: str = "html") -> list:
        """Return what axe-core finds on the page: impact, rule, help, and some elements of each.

        Args:
            options: of axe.run, in JavaScript.
            within: CSS selector of what is looked at.
        """
        self.evaluate(AXE.read_text(encoding="utf-8") + ";0")
        return self.evaluate(f"""axe.run("{within}", {{resultTypes: ["violations"], ...{options}}})
          .then((found) => found.violations.map((v) =>
            [v.impact, v.id, v.help, v.nodes.slice(0, 3).map((node) => node.html)]))""")

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for since this was last asked."""
        entries = [json.loads(line["message"]) for line in self.driver.get_log("performance")]
        events = [entry["message"] for entry in entries]
        asked = [e for e in events if e["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[str]:
        """Return what the page said in red or yellow since this was last asked."""
        lines = self.driver.get_log("browser")
        return [line["message"] for line in lines if line["level"] in LEVELS]


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium, yield a Browser, end it."""
    tab = Browser()
    try:
        yield tab
    finally:
        tab.driver.quit()
