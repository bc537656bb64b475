/* The scanner of ns-2's wired traces; ns2_trace.py says what a line is and what becomes of it.
 *
 * All reading stops at a line feed, with which every block ends, so that there are no bounds to
 * check. Of most lines (enqueued, dequeued) only the first byte and the end are looked at. No memory
 * is taken: every array is the caller's.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* what becomes of a line: FATES */
enum {
    QUEUED, ELSEWHERE, ACKNOWLEDGES, OTHER, RECEIVED, DROPPED, BROKEN, EMPTY, BACKWARDS, ON_LAN,
    DISCARDED, DROPPED_ON_THE_WAY_BACK, N_FATES
};
/* in place of a hop; in place of the second there is then the hop, or the size */
enum { ON_THE_WAY = -2, ACKNOWLEDGED = -3 };
enum { RECEIVED_COLUMNS = 13, DROPPED_COLUMNS = 9, BROKEN_COLUMNS = 4 };
enum { NAME_BYTES = 7 };  /* of a packet's name that are kept */
static const double MAX_S = 1e6;
static const int64_t NODE = 1 << 20;  /* an address is node * NODE + port */

static int is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* Return 10 to the power of n >= 0, multiplied out. */
static double power_of_10(int64_t n)
{
    double result = 1.0;
    for (double square = 10.0; n; n >>= 1, square *= square)
        if (n & 1)
            result *= square;
    return result;
}

/* Read an integer of up to 18 digits; return where it ends, NULL where there is none. */
static const uint8_t *read_whole(const uint8_t *p, int64_t *value)
{
    const int negative = *p == '-';
    p += negative;
    const uint8_t *begin = p;
    uint64_t number = 0;
    while (is_digit(*p))
        number = number * 10 + (*p++ - '0');
    *value = negative ? -(int64_t)number : (int64_t)number;
    return p > begin && p - begin <= 18 ? p : NULL;
}

/* Read a number; return where it ends, NULL where there is none, or one of too many digits. */
static const uint8_t *read_real(const uint8_t *p, double *value)
{
    const uint8_t *begin = p;
    uint64_t mantissa = 0;
    int64_t exponent = 0, power = 0;
    while (is_digit(*p))
        mantissa = mantissa * 10 + (*p++ - '0');
    int64_t digits = p - begin;
    if (digits == 0 || digits > 18)
        return NULL;
    if (*p == '.')
        for (p++; is_digit(*p); p++, digits++)
            if (digits < 18) {
                mantissa = mantissa * 10 + (*p - '0');
                exponent--;
            }
    if ((*p | 32) == 'e') {
        const int negative = *++p == '-';
        if (negative || *p == '+')
            p++;
        for (; is_digit(*p); p++) {
            power = power * 10 + (*p - '0');
            power = power < 999 ? power : 999;
        }
        exponent += negative ? -power : power;
    }
    if (exponent < 0)
        *value = (double)mantissa / power_of_10(-exponent);
    else
        *value = (double)mantissa * power_of_10(exponent);
    return p;
}

/* Read an address: node.port, or the hierarchical a.b.port and a.b.c.port. Where it is one, of
 * flat numbers node * NODE + port, else -1 - as much, of a node with 11 bits for each part but the
 * first (2047: there is none). Return as `read_whole`.
 */
static const uint8_t *read_address(const uint8_t *p, int64_t *value)
{
    int64_t part[4];
    int n = 1;
    p = read_whole(p, &part[0]);
    while (p && *p == '.' && n < 4)
        p = read_whole(p + 1, &part[n++]);
    if (!p || n == 1)
        return NULL;
    if (n == 2) {
        *value = part[0] * NODE + part[1];
    } else {
        const int64_t last = n == 4 ? part[2] : 2047;
        *value = -1 - (((part[0] * 2048 + part[1]) * 2048 + last) * NODE + part[n - 1]);
    }
    return p;
}

typedef struct {  /* a line that tells of a packet; its fields in the order of the line */
    double time;
    const uint8_t *kind;  /* where its name begins */
    int64_t from, to, size, flow, source, destination, sequence, packet;
} Packet;

/* Return the field after the one at p, which has no blanks; NULL where the line ends before. */
static const uint8_t *next_field(const uint8_t *p, const uint8_t *stop)
{
    while (*p != ' ' && p < stop)
        p++;
    return p < stop ? p + 1 : NULL;
}

/* Read an integer or an address, and the blank behind it. */
#define FIELD(read, value) (!(p = read(p, &(value))) || *p++ != ' ')

/* Read a line, from its time on; return whether it is whole. */
static int read_packet(const uint8_t *p, const uint8_t *stop, Packet *packet)
{
    if (FIELD(read_real, packet->time) || FIELD(read_whole, packet->from)
        || FIELD(read_whole, packet->to))
        return 0;
    packet->kind = p;
    if (!(p = next_field(p, stop)) || FIELD(read_whole, packet->size))
        return 0;
    if (!(p = next_field(p, stop)) || FIELD(read_whole, packet->flow))  /* behind the flags */
        return 0;
    if (FIELD(read_address, packet->source) || FIELD(read_address, packet->destination)
        || FIELD(read_whole, packet->sequence))
        return 0;
    p = read_whole(p, &packet->packet);
    return p && (*p == ' ' || p == stop) && packet->time <= MAX_S && packet->size >= 0
           && packet->size <= INT32_MAX && packet->flow >= -INT32_MAX && packet->flow <= INT32_MAX;
}

static int begins_with(const uint8_t *text, const char *word)
{
    for (; *word; word++, text++)
        if (*text != (uint8_t)*word)
            return 0;
    return 1;
}

/* Return what becomes of a packet that was received (event 'r'), or dropped. */
static int fate_of(uint8_t event, const Packet *packet)
{
    const int back = begins_with(packet->kind, "ack") || begins_with(packet->kind, "rtP");
    if (event != 'r')
        return back ? DROPPED_ON_THE_WAY_BACK : DROPPED;
    if (packet->destination >= 0 && packet->to != packet->destination >> 20)
        return ELSEWHERE;
    return back ? ACKNOWLEDGES : RECEIVED;
}

/* Return the row of `received` of a flow, hop and second; a new one where there is none. */
static int64_t *find_row(const Packet *packet, int64_t hop, int64_t second, int64_t line,
                         int64_t *received, int64_t *n_received, int32_t *table, int64_t last_slot)
{
    uint64_t mixed = (uint64_t)packet->flow;
    const int64_t parts[] = {packet->source, packet->destination, hop, second};
    for (int k = 0; k < 4; k++)
        mixed = mixed * 31 + (uint64_t)parts[k];
    int64_t slot = (int64_t)(mixed * 0x9E3779B97F4A7C15 >> 32) & last_slot;
    for (; table[slot]; slot = (slot + 1) & last_slot) {
        int64_t *row = received + (table[slot] - 1) * RECEIVED_COLUMNS;
        if (row[4] == second && row[0] == packet->flow && row[1] == packet->source
            && row[2] == packet->destination && row[3] == hop)
            return row;
    }
    int64_t *row = received + *n_received * RECEIVED_COLUMNS, name = 0;
    for (int k = 0; k < NAME_BYTES && packet->kind[k] != ' '; k++)
        name = name * 256 + packet->kind[k];
    const int64_t columns[RECEIVED_COLUMNS] = {packet->flow, packet->source, packet->destination,
        hop, second, line, 0, 0, 0, name, packet->sequence, 0, (int64_t)(packet->time * 1e6)};
    memcpy(row, columns, sizeof columns);
    table[slot] = (int32_t)++*n_received;
    return row;
}

/* Sort lines by what becomes of them; count what was received by flow and second.
 *
 * added: bytes at the end that are not the trace's; received, dropped, broken: rows as Events says;
 * table: zeros, last_slot + 1 of them, a power of 2: for a hash table of the rows of `received`;
 * counts: lines, then bytes, by what becomes of them; times: of the first packet, infinite without
 * any, and of the last: none may be earlier. n_rows: how many rows there are of each.
 */
int64_t scan_trace(const uint8_t *data, int64_t size, int64_t added, int64_t *received,
                   double *dropped, int64_t *broken, int32_t *table, int64_t last_slot,
                   int64_t *counts, double *times, int64_t *n_rows)
{
    const uint8_t *const data_end = data + size;
    int64_t n_received = 0, n_dropped = 0, n_broken = 0, line = 0;
    for (const uint8_t *begin = data; begin < data_end; line++) {
        const uint8_t *end = memchr(begin, '\n', (size_t)(data_end - begin));
        const uint8_t *stop = end - (end > begin && end[-1] == '\r');
        const uint8_t *next = end + 1 < data_end - added ? end + 1 : data_end - added;
        const int64_t length = next - begin;
        const uint8_t event = *begin;
        Packet packet;
        int what = BROKEN;
        if (stop == begin) {
            what = EMPTY;
        } else if (begin[1] != ' ') {
            ;
        } else if (event == '+' || event == '-') {
            what = stop > begin + 1 ? QUEUED : BROKEN;
        } else if (event == 'r' || event == 'd' || event == 'e') {
            if (read_packet(begin + 2, stop, &packet)) {
                times[0] = packet.time < times[0] ? packet.time : times[0];
                if (packet.time < times[1]) {
                    what = BACKWARDS;
                } else {
                    times[1] = packet.time;
                    what = fate_of(event, &packet);
                }
            }
        } else if (event == 'h') {
            what = ON_LAN;
        } else if ((uint8_t)((event | 32) - 'a') < 26) {
            what = OTHER;
        }
        int mark = 0;
        if (what == ACKNOWLEDGES && *packet.kind == 'a' && packet.destination >= 0)
            mark = ACKNOWLEDGED;
        else if (what == ELSEWHERE && !begins_with(packet.kind, "ack")
                 && !begins_with(packet.kind, "rtP"))
            mark = ON_THE_WAY;
        if (what == RECEIVED || mark) {
            int64_t hop = packet.destination < 0 ? packet.from * NODE + packet.to : -1;
            const int64_t by = mark == ON_THE_WAY ? packet.from * NODE + packet.to
                               : mark == ACKNOWLEDGED ? packet.size : (int64_t)packet.time;
            int64_t *row = find_row(&packet, mark ? mark : hop, by, line, received, &n_received,
                                    table, last_slot);
            row[6] += 1;
            row[7] += packet.size;
            row[8] += length;
            row[10] = row[10] > packet.sequence ? row[10] : packet.sequence;
            row[11] = (int64_t)(packet.time * 1e6);
        } else if (what == DROPPED) {
            double *row = dropped + n_dropped++ * DROPPED_COLUMNS;
            row[0] = (double)line, row[1] = packet.time, row[2] = (double)packet.flow;
            row[3] = (double)packet.size, row[4] = (double)packet.sequence;
            row[5] = (double)packet.source, row[6] = (double)packet.destination;
            row[7] = (double)(packet.from * NODE + packet.to), row[8] = (double)length;
        } else if (what == BROKEN || what == BACKWARDS) {
            int64_t *row = broken + n_broken++ * BROKEN_COLUMNS;
            row[0] = line, row[1] = begin - data, row[2] = stop - data, row[3] = what;
        }
        counts[what] += 1;
        counts[N_FATES + what] += length;
        begin = end + 1;
    }
    n_rows[0] = n_received, n_rows[1] = n_dropped, n_rows[2] = n_broken;
    return line;
}
