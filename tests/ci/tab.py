"""What a test does with a tab of a browser, in the browser's own words: chromium.py, firefox.py."""

from __future__ import annotations

import warnings

FRAME_S = 20  # without a frame for so long, none will come


class Tab:
    """A tab of a browser that loads addresses and evaluates expressions."""

    def load(self, url: str) -> None:
        """Load a page with its resources; what the one before asked for and said is forgotten."""
        raise NotImplementedError

    def evaluate(self, script: str):
        """Return the value of a JavaScript expression, waiting for it if it is a promise."""
        raise NotImplementedError

    def restart(self) -> bool:
        """Open the page anew in another browser; say whether there is one."""
        return False

    def open(self, url: str) -> None:
        """Load a page with JavaScript, which may do something after it has loaded."""
        self.load(url)
        self.settle()

    def settle(self) -> None:
        """Wait until the page has drawn and has nothing more to do, at most 0.3 s."""
        self.evaluate("""new Promise((done) => {
          setTimeout(done, 300);
          const next = requestAnimationFrame;
          next(() => next(() => requestIdleCallback(done)));
        })""")

    def until(self, condition: str, seconds: float) -> bool:
        """Wait until a JavaScript expression is true, at most so long; say if it is."""
        return self.evaluate(f"""new Promise((done) => {{
          const end = performance.now() + {1000 * seconds};
          const look = () => {{
            if ({condition}) done(true);
            else if (performance.now() > end) done(false);
            else setTimeout(look, 20);
          }};
          look();
        }})""")

    def wait(self, seconds: float) -> None:
        """Let the page work for a while."""
        self.evaluate(f"new Promise((done) => setTimeout(done, {1000 * seconds}))")

    def draws(self) -> bool:
        """Say if the browser still draws: headless on a busy machine it can cease to for good."""
        return self.evaluate(f"""new Promise((done) => {{
          requestAnimationFrame(() => done(true));
          setTimeout(() => done(false), {1000 * FRAME_S});
        }})""")

    def bring_to_life(self, label: str, seconds: float = 30) -> bool:
        """Scroll to a figure and wait until it is live; a browser that ceases to draw is replaced.

        Folds around it are opened. It must draw some time within so many seconds.
        """
        figure = f"document.getElementById('{label}')"
        for _ in range(3):
            self.evaluate(f"""(() => {{
              for (let fold = {figure}; fold; fold = fold.parentElement.closest("details"))
                fold.open = true;
              {figure}.scrollIntoView({{block: "center"}});
            }})()""")
            for _ in range(int(2 * seconds)):
                if self.until(f"{figure}.dataset.live === 'yes'", 0.5):
                    return True
                if not self.draws():
                    break
            else:
                return False  # drawn all the time: the page's fault
            if not self.restart():
                return False
            warnings.warn(f"{label}: the browser drew no more and was started anew", stacklevel=2)
        return False
