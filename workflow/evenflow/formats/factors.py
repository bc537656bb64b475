"""Factors of the units in which iperf 2 and iperf 3 print bytes and rates."""

from __future__ import annotations

# units that both print: bytes in 2^10, bits in 10^3
FACTOR = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
BIT_FACTOR = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


def load_factors(found: dict[str, str]) -> dict[str, float]:
    """Return the factors of a report's amount (to bytes) and rate (to bits per second).

    Args:
        found: the groups of its shape: amount and rate (K, M, ... or nothing), of (bits or Bytes).
    """
    rate = BIT_FACTOR[found["rate"]] if found["of"] == "bits" else 8 * FACTOR[found["rate"]]
    return {"byte_factor": FACTOR[found["amount"]], "bit_factor": rate}
