"""What a packet holds besides its payload."""

# IPv4 20, TCP 20, timestamps 12 with their padding: what a full packet adds to its payload
# (mss_bytes), bytes. Queries know it as $header_bytes.
HEADER_BYTES = 52
# Payload of a full packet of Ethernet, whose packets have 1500 bytes: where mss_bytes is not known.
ASSUMED_MSS_BYTES = 1448
