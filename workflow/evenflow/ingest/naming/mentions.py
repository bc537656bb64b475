"""What names say of a setting in a form that is not read: 'bdp2', 'buf100ms', 'halfbdp', '100GbE'.

Of such a setting the page must not say that no name says it (`assumptions`).
"""

from __future__ import annotations

import re

from .dates import without_dates
from .vocabulary import APART, BETWEEN, OTHERS

_NUMBER = r"[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?"
# no counter: 'queue1' and 'link2' are the first and the second one
_AMOUNT = rf"(?=[0-9]{{2}}|[0-9][.,][0-9]|[0-9][a-z%]){_NUMBER}"
_BUFFER = r"buf(?:fer)?s?|queue|qlen|limit|opb|x?bdps?"
_SIZE = r"half|quarter|third|one|two|three|four|full|double|twice|triple|small|large|deep"
_FORMS = {
    "rtt_ms": rf"(?:rtt|ping|delay|owd|latency){BETWEEN}{_NUMBER}(?:[ _-]{APART}|[a-zµμ0-9+]*)"
    rf"|(?:{OTHERS['rtt_ms']})[ _=.#/-]?{_NUMBER} ?ms|{_NUMBER} ?ms[ _-]?(?:{OTHERS['rtt_ms']})",
    "bottleneck_mbps": rf"(?:bw|bandwidth){BETWEEN}{_NUMBER}(?:[ _-]{APART}|[a-z0-9+/]*)"
    rf"|(?:rate|link|bottleneck){BETWEEN}{_AMOUNT}[a-z0-9+/]*"
    rf"|{_NUMBER} ?[kmg](?:bps|bits?)[ _-](?:{OTHERS['bottleneck_mbps']})"
    rf"|{_NUMBER} ?(?-i:[kKmMgGtT]b)(?:e|its?|ps)?|(?![345]G){_NUMBER} ?(?-i:[MGT])",
    "buffer_pct": rf"x?bdps?{BETWEEN}{_NUMBER}[a-z0-9+%]*"
    rf"|(?:{_BUFFER}){BETWEEN}{_AMOUNT}[a-z0-9+%]*"
    rf"|(?:{_SIZE}|{_NUMBER})[ _-]?x?[ _-]?(?:{_BUFFER})",
}
_MENTIONS = {
    key: re.compile(rf"(?<![A-Za-z0-9.])(?:{form})(?![A-Za-z0-9])", re.IGNORECASE)
    for key, form in _FORMS.items()
}


def mention(path: str, key: str) -> str | None:
    """Return the part of a path that says something of a setting, or None.

    Args:
        path: of a log.
        key: rtt_ms, bottleneck_mbps, or buffer_pct for a buffer in whatever unit.
    """
    found = _MENTIONS[key].search(without_dates(path))
    return found[0] if found else None
