"""What a packet holds besides its payload."""

# IPv4 20, TCP 20, timestamps 12 with their padding: what a full packet adds to its payload
# (mss_bytes), bytes. Queries know it as $header_bytes.
HEADER_BYTES = 52
