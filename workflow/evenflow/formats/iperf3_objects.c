/* The scanner of iperf3's JSON in one pass over the bytes; iperf3_objects.py says what it finds.
 *
 * Logs lie one after another. Each ends with a line feed, its own or one that is not, at which all
 * reading stops. No memory is taken: every array is the caller's.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* FIELDS that mean something here; and their number */
enum { SOCKET = 0, FROM = 1, TO = 2, BYTES = 3, OMITTED = 11, SENDS = 12, N_FIELDS = 13 };
/* PLACES: keys (and names of events) that say where a value belongs */
enum {
    START = 100, INTERVALS, END, ERROR, OTHER_TEXT, OTHER_JSON,
    DATA, EVENT, SENDER, RECEIVER, UDP, CONGESTION, SUMS = 120, NO_WORD = -1
};
/* what a line holds, the higher counts where it holds several */
enum { HEADER, SUMMARY, MESSAGE, TEXT, PLAIN = 13, BROKEN = 14 };
/* what the grammar expects */
enum { VALUE, KEY_OR_END, KEY, COLON, NEXT, VALUE_OR_END };
enum { LONGEST_KEY = 24, KEYS_OF_A_HASH = 4, DEPTH = 64, MAX_STREAMS = 1024 };
enum { USUAL_DEPTHS = 8, USUAL_KEYS = 32 };  /* of objects whose keys are kept */
enum { N_RECORD = 11, N_PIECE = 7, N_FOUND = 4 };  /* RECORD, PIECE, FOUND */
enum { DONE, RECORDS_FULL, LINES_FULL, PIECES_FULL };  /* why scan_json stops */
enum { NULL_VALUE = -1, NOT_A_NUMBER = -2, NO_LITERAL = -3 };

static const double POWERS[] = {  /* those that a double holds exactly */
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* what may end a string, or what stands in it that is not itself */
static const uint8_t ENDS_TEXT[256] = {['"'] = 1, ['\\'] = 1, ['\n'] = 1};
static const uint8_t OF_NUMBER[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
    ['8'] = 1, ['9'] = 1, ['.'] = 1, ['-'] = 1, ['+'] = 1, ['e'] = 1, ['E'] = 1,
};
static const uint8_t IS_BLANK[256] = {[' '] = 1, ['\t'] = 1, ['\r'] = 1};

static int is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }
static int is_letter(uint8_t c) { return (uint8_t)((c | 32) - 'a') < 26; }

/* Return what the lines of a section hold, those of its streams aside. */
static int painted(int place)
{
    if (place == INTERVALS || place == END)
        return SUMMARY;
    if (place == ERROR)
        return MESSAGE;
    return place == OTHER_TEXT ? TEXT : HEADER;
}

/* Return 1 for true, 0 for false, NULL_VALUE, NOT_A_NUMBER (nan, inf) or NO_LITERAL. */
static int literal(const uint8_t *word, int64_t length)
{
    const uint8_t first = word[0], last = length ? word[length - 1] : 0;
    if (length == 8 && first == 'I' && last == 'y')  /* Infinity, as Python writes it */
        return NOT_A_NUMBER;
    if (length == 4 && first == 't' && last == 'e')
        return 1;
    if (length == 5 && first == 'f' && last == 'e')
        return 0;
    if (length == 4 && first == 'n' && last == 'l')
        return NULL_VALUE;
    if (length == 3 && (first == 'n' || first == 'N' || first == 'i'))
        return NOT_A_NUMBER;
    return NO_LITERAL;
}

typedef struct {  /* KEYS, for a hash of length, first and last byte; FIELD_PLACE */
    const int64_t *codes, *sizes;
    const uint8_t *texts;
    const int64_t *field_place;
} Keys;

/* Return a key's field, place or NO_WORD; a quote stands behind it. */
static int find_word(const uint8_t *key, int64_t length, const Keys *keys)
{
    if (key[0] == 's' && key[1] == 'u' && key[2] == 'm')
        return SUMS;
    if (length == 0 || length > LONGEST_KEY)
        return NO_WORD;
    int64_t k = ((length * 31 + key[0] * 7 + key[length - 1]) & 255) * KEYS_OF_A_HASH;
    for (const int64_t stop = k + KEYS_OF_A_HASH; k < stop && keys->codes[k] >= 0; k++)
        if (keys->sizes[k] == length && !memcmp(keys->texts + k * LONGEST_KEY, key, (size_t)length))
            return (int)keys->codes[k];
    return NO_WORD;
}

typedef struct {  /* a key that an object before had in the same place */
    const uint8_t *text;
    int64_t length;
    int word;
} Usual;

/* Return whether n bytes are the same; of most keys two words of 8 bytes each are compared. */
static int same(const uint8_t *one, const uint8_t *other, int64_t n)
{
    uint64_t a, b, c, d;
    if (n < 8 || n > 16)
        return !memcmp(one, other, (size_t)n);
    memcpy(&a, one, 8), memcpy(&b, other, 8), memcpy(&c, one + n - 8, 8), memcpy(&d, other + n - 8, 8);
    return a == b && c == d;
}

/* Return 10 to the power of n, multiplied out. */
static double power_of_10(int64_t n)
{
    double result = 1.0, square = 10.0;
    for (int64_t left = n < 0 ? -n : n; left; left >>= 1, square *= square)
        if (left & 1)
            result *= square;
    return n < 0 ? 1.0 / result : result;
}

/* Read a number without its sign; return where it ends, and whether it is one in `good`. */
static int64_t read_number(const uint8_t *data, int64_t i, int64_t size, double *value, int *good)
{
    int64_t mantissa = 0, digits = 0, fraction = 0, exponent = 0;
    for (; i < size && is_digit(data[i]); i++) {
        if (digits < 18) {
            mantissa = mantissa * 10 + (data[i] - '0');
            digits += mantissa > 0;
        } else {
            fraction--;
        }
    }
    if (i < size && data[i] == '.') {
        i++;
        *good = i < size && is_digit(data[i]);
        for (; i < size && is_digit(data[i]); i++) {
            if (digits < 18) {
                mantissa = mantissa * 10 + (data[i] - '0');
                digits += mantissa > 0;
                fraction++;
            }
        }
    }
    if (i < size && (data[i] | 32) == 'e') {
        i++;
        const int negative = i < size && data[i] == '-';
        if (i < size && (data[i] == '-' || data[i] == '+'))
            i++;
        *good = *good && i < size && is_digit(data[i]);
        for (; i < size && is_digit(data[i]); i++) {
            exponent = exponent * 10 + (data[i] - '0');
            exponent = exponent < 9999 ? exponent : 9999;
        }
        exponent = negative ? -exponent : exponent;
    }
    const int64_t power = exponent - fraction;
    *value = (double)mantissa;
    if (power < 0)
        *value = power >= -22 ? *value / POWERS[-power] : *value * power_of_10(power);
    else if (power > 0)
        *value *= power <= 22 ? POWERS[power] : power_of_10(power);
    return i;
}

/* What is known where the scanner is. */
typedef struct {
    /* the grammar: kinds of the open brackets, the place that each level's last key names */
    uint8_t is_object[DEPTH + 1];
    int places[DEPTH + 1];
    int depth, expects, key;
    /* the keys that objects of this depth have had, and how many this one has had: most have the same */
    Usual usual[USUAL_DEPTHS][USUAL_KEYS];
    int n_keys;
    int sums;  /* depth of the object of sums that we are in */
    /* the test that we are in, whether its document has had no key yet, the event */
    int64_t test;
    int fresh, event;
    /* the object that we are in: where it began, the line of its bytes, its numbers */
    int in_record;
    int64_t opened, at_bytes, begins, start_begin;
    double row[N_FIELDS];
    /* the line that we are in, what it holds, what lines of this section hold */
    int64_t line;
    int seen, section;
} State;

static int is_nested(const State *s) { return s->places[1] == OTHER_JSON || s->event == OTHER_JSON; }

/* Return whether we are in the object of a stream: it has had its socket. */
static int is_of_stream(const State *s) { return s->in_record && s->row[SOCKET] == s->row[SOCKET]; }

static void enter_section(State *s, int place)
{
    s->section = painted(place);
    if (s->section > s->seen)
        s->seen = s->section;
}

/* Set section, role and `nested` of an object, from the keys that lead to it. */
static void find_place(const State *s, int *section, int *role, int *nested)
{
    *section = *role = 0;
    *nested = s->event == OTHER_JSON;
    for (int d = 1; d < s->depth; d++) {
        const int place = s->places[d];
        if (place == OTHER_JSON)
            *nested = 1;
        else if (place == START || place == INTERVALS || place == END)
            *section = place;
        else if (place == SENDER || place == RECEIVER || place == UDP)
            *role = place;
        else if (place == DATA && s->event > 0 && s->event != OTHER_JSON)
            *section = s->event;
    }
}

/* Mark the lines of the object that we are in, but the last, as broken. */
static void break_record(const State *s, uint8_t *line_code)
{
    if (is_of_stream(s))
        for (int64_t line = s->opened; line < s->line; line++)
            line_code[line] = BROKEN;
}

/* Return where the brace of a document is that ends the line that ends at i, or -1: what is appended
 * to a document that was cut within a line. iperf3 indents: {"start": {...}} takes several lines.
 */
static int64_t appended(const uint8_t *data, int64_t begin_of_log, int64_t i, int64_t size)
{
    static const char key[] = "\"start\"";
    const int64_t n_key = sizeof key - 1;
    int64_t brace = i - 1;
    if (brace > begin_of_log && data[brace] == '\r')
        brace--;
    if (brace < begin_of_log || data[brace] != '{' || i >= size)
        return -1;
    while (IS_BLANK[data[++i]])
        ;
    if (i + n_key >= size || memcmp(data + i, key, n_key) != 0)
        return -1;
    i += n_key;
    while (IS_BLANK[data[i]])
        i++;
    if (data[i] != ':')
        return -1;
    while (IS_BLANK[data[++i]])
        ;
    return data[i] == '{' ? brace : -1;
}

/* What was found in all logs so far: arrays, for how many entries they have room, how many there are.
 *
 * numbers, records: a column a record; sockets, nestings, latest: of each stream its socket, whether
 * it is of the nested report, its last interval.
 */
typedef struct {
    double *numbers, *sockets;
    int64_t *records, *pieces, *line_start, *nestings, *latest;
    uint8_t *line_code;
    int64_t room_records, room_lines, room_pieces;
    int64_t n_records, n_lines, n_pieces, n_streams;
} Found;

/* Scan the log that lies from i to size; return DONE, or what there is no room for. */
static int scan_log(const uint8_t *data, int64_t i, int64_t size, int64_t log, const Keys *keys,
                    Found *to, int64_t *is_whole)
{
    const int64_t begin_of_log = i, room = to->room_records;
    int64_t *const line_start = to->line_start, *const latest = to->latest;
    uint8_t *const line_code = to->line_code;
    double *const numbers = to->numbers;
    int64_t of_test = -1, base = 0;  /* the test of the last record, its first stream */
    int whole = 1;
    State state = {.expects = VALUE, .key = NO_WORD, .line = to->n_lines - 1}, *const s = &state;

#define NOTE(begin_, end_, place_, nested_)                                                  \
    do {                                                                                     \
        if (to->n_pieces == to->room_pieces)                                                 \
            return PIECES_FULL;                                                              \
        const int64_t piece[] = {begin_, end_, s->line, place_, s->test, nested_, log};      \
        memcpy(to->pieces + to->n_pieces++ * N_PIECE, piece, sizeof piece);                  \
    } while (0)
#define BEGIN_LINE(begin_)                                                                   \
    do {                                                                                     \
        if (s->line + 1 == to->room_lines)                                                   \
            return LINES_FULL;                                                               \
        line_start[++s->line] = begin_;                                                      \
    } while (0)

    for (int k = 0; k < N_FIELDS; k++)
        s->row[k] = NAN;
    if (size - i >= 3 && data[i] == 0xEF && data[i + 1] == 0xBB && data[i + 2] == 0xBF)
        i += 3;
    if (size > begin_of_log)
        BEGIN_LINE(begin_of_log);
    while (i < size) {
        const uint8_t c = data[i];
        int good = 1;
        if (c == '\n') {
            line_code[s->line] = (uint8_t)s->seen;
            if (++i == size)
                break;
            BEGIN_LINE(i);
            s->seen = s->depth > 0 ? s->section : HEADER;
            while (IS_BLANK[data[i]])  /* how lines are indented */
                i++;
            continue;
        }
        if (IS_BLANK[c]) {
            i++;
            continue;
        }
        if (s->depth == 0 && c != '{') {  /* plain text, to the end of the line */
            const int64_t begin = i;
            while (i < size && data[i] != '\n')
                i++;
            NOTE(begin, i, PLAIN, 0);
            if (s->seen < PLAIN)
                s->seen = PLAIN;
            whole = 0;
            continue;
        }
        if (c == '"') {  /* a key or a string */
            const int64_t begin = ++i;
            const int is_key = s->expects == KEY_OR_END || s->expects == KEY;
            const int is_value = s->expects == VALUE || s->expects == VALUE_OR_END;
            const int is_event = is_value && s->depth == 1 && s->places[1] == EVENT;
            Usual *const usual = &s->usual[s->depth % USUAL_DEPTHS][s->n_keys % USUAL_KEYS];
            const int is_usual = is_key && usual->length > 0 && i + usual->length < size
                                 && data[i + usual->length] == '"'
                                 && same(data + i, usual->text, usual->length);
            if (is_usual) {
                i += usual->length;
            } else {
                for (;; i++) {
                    while (!ENDS_TEXT[data[i]])
                        i++;
                    if (i >= size || data[i] == '"' || data[i] == '\n')
                        break;
                    if (data[i] == '\\' && i + 1 < size && data[i + 1] != '\n')
                        i++;
                }
            }
            const int64_t end = i;
            int word = NO_WORD;
            good = i < size && data[i] == '"';
            if (good && is_key && !is_usual)
                *usual = (Usual){data + begin, end - begin, find_word(data + begin, end - begin, keys)};
            if (good && is_key && s->sums == 0)
                word = usual->word;
            else if (good && is_event)
                word = find_word(data + begin, end - begin, keys);
            const int place = 0 <= word && word < N_FIELDS ? (int)keys->field_place[word] : word;
            if (good)
                i++;
            if (good && is_key) {
                s->expects = COLON;
                s->n_keys++;
                if (s->sums == 0) {
                    s->key = word;
                    s->places[s->depth] = place > 0 ? place : 0;
                    const int nested = is_nested(s);
                    if (s->depth == 1) {
                        s->test += s->fresh && place != EVENT;  /* a document of its own */
                        s->fresh = 0;
                    }
                    if ((s->depth == 1 && place != DATA) || (s->depth == 2 && nested))
                        enter_section(s, place);
                }
                while (IS_BLANK[data[i]])
                    i++;
                if (data[i] == ':') {
                    s->expects = VALUE;
                    while (IS_BLANK[data[++i]])
                        ;
                }
            } else if (good && is_value) {
                s->expects = NEXT;
                if (is_event) {
                    s->event = place;
                    s->test += s->event == START || s->test == 0;
                    enter_section(s, place);
                }
                const int is_error = s->depth == 1 && (s->places[1] == ERROR || s->event == ERROR);
                if (is_error || s->places[s->depth] == CONGESTION)
                    NOTE(begin, end, is_error ? ERROR : CONGESTION, is_nested(s));
            } else {
                good = 0;
            }
        } else if (c == ':') {
            good = s->expects == COLON;
            s->expects = VALUE;
            i++;
        } else if (c == ',') {
            good = s->expects == NEXT;
            s->expects = s->is_object[s->depth] ? KEY : VALUE;
            i++;
        } else if (c == '{' || c == '[') {
            good = (s->expects == VALUE || s->expects == VALUE_OR_END) && s->depth < DEPTH
                   && !is_of_stream(s);  /* they are flat */
            if (good) {
                if (s->depth == 0) {  /* a document, or an event */
                    s->key = NO_WORD, s->fresh = 1, s->event = 0, s->section = HEADER;
                } else if (s->places[s->depth] == START || (s->depth == 1 && s->event == START)) {
                    s->start_begin = s->depth <= 2 ? i : s->start_begin;
                }
                s->depth++;
                s->n_keys = 0;
                s->is_object[s->depth] = c == '{';
                s->places[s->depth] = 0;
                s->expects = c == '{' ? KEY_OR_END : VALUE_OR_END;
                if (s->key == SUMS && s->sums == 0)
                    s->sums = s->depth;
                s->in_record = c == '{' && s->sums == 0;
                if (s->in_record) {
                    s->opened = s->at_bytes = s->line;
                    s->begins = i;
                    for (int k = 0; k < N_FIELDS; k++)
                        s->row[k] = NAN;
                }
                i++;
            }
        } else if (c == '}') {
            good = s->is_object[s->depth] && (s->expects == KEY_OR_END || s->expects == NEXT);
            if (good && s->in_record) {
                int section, role, nested;
                find_place(s, &section, &role, &nested);
                if (!is_of_stream(s)) {
                    good = section != INTERVALS;  /* whose would it be? */
                } else {
                    if (to->n_records == room)
                        return RECORDS_FULL;
                    if (s->test != of_test)
                        of_test = s->test, base = to->n_streams;
                    int64_t stream = base;
                    while (stream < to->n_streams && !(to->sockets[stream] == s->row[SOCKET]
                                                       && to->nestings[stream] == nested))
                        stream++;
                    if (stream == to->n_streams) {
                        to->sockets[stream] = s->row[SOCKET];
                        to->nestings[stream] = nested;
                        latest[stream] = -1;
                        to->n_streams++;
                        good = to->n_streams - base <= MAX_STREAMS;
                    }
                    int64_t twice = 0;
                    if (section == INTERVALS) {
                        const int64_t k = latest[stream];
                        if (k >= 0)
                            twice = numbers[FROM * room + k] == s->row[FROM]
                                    && numbers[TO * room + k] == s->row[TO]
                                    && numbers[BYTES * room + k] == s->row[BYTES];
                        latest[stream] = to->n_records;
                    }
                    const int64_t record[N_RECORD] = {s->at_bytes, s->opened, s->line, section, role,
                        s->test, nested, stream, twice, s->begins, log};
                    for (int k = 0; k < N_FIELDS; k++)
                        numbers[k * room + to->n_records] = s->row[k];
                    for (int k = 0; k < N_RECORD; k++)
                        to->records[k * room + to->n_records] = record[k];
                    to->n_records++;
                }
            }
            if (good) {
                i++;
                s->in_record = 0;
                if (s->depth == s->sums)
                    s->sums = 0, s->key = NO_WORD;
                s->depth--;
                s->expects = NEXT;
                const int nested = is_nested(s);
                const int of_event = s->places[s->depth] == DATA && s->event == START;
                if (s->depth == 0)
                    s->section = HEADER, s->expects = VALUE;
                else if (s->depth == (nested ? 2 : 1)
                         && (s->places[s->depth] == START || of_event))
                    NOTE(s->start_begin, i, START, nested);
            }
        } else if (c == ']') {
            good = !s->is_object[s->depth] && (s->expects == VALUE_OR_END || s->expects == NEXT);
            if (good) {
                i++;
                if (s->depth == s->sums)
                    s->sums = 0, s->key = NO_WORD;
                s->depth--;
                s->expects = NEXT;
            }
        } else if (s->expects == VALUE || s->expects == VALUE_OR_END) {
            const int negative = c == '-';
            s->expects = NEXT;
            i += negative;
            const int is_number = i < size && is_digit(data[i]);
            const int wanted = s->in_record && s->is_object[s->depth] && 0 <= s->key
                               && s->key < N_FIELDS;
            if (is_number && !wanted) {  /* its grammar is checked roughly */
                while (OF_NUMBER[data[i]])
                    i++;
                good = is_digit(data[i - 1]);
            } else if (is_number) {
                double value;
                i = read_number(data, i, size, &value, &good);
                s->row[s->key] = negative ? -value : value;
                if (s->key == BYTES)
                    s->at_bytes = s->line;
            } else {
                const int64_t begin = i;
                while (i < size && is_letter(data[i]))
                    i++;
                const int value = literal(data + begin, i - begin);
                good = value != NO_LITERAL && !(negative && value != NOT_A_NUMBER);
                if (wanted && good) {  /* true is no number of bytes */
                    const int is_truth = s->key == OMITTED || s->key == SENDS;
                    s->row[s->key] = is_truth && value >= 0 ? value : NAN;
                }
            }
            if (good && data[i] == ',') {
                s->expects = s->is_object[s->depth] ? KEY : VALUE;
                i++;
            }
        } else {
            good = 0;
        }
        if (!good) {  /* to the next line that begins with a brace, or ends with that of a document */
            whole = 0;
            break_record(s, line_code);
            s->depth = s->in_record = s->event = s->sums = 0;
            s->section = HEADER, s->expects = VALUE;
            for (;;) {
                while (i < size && data[i] != '\n')
                    i++;
                line_code[s->line] = BROKEN;
                s->seen = BROKEN;
                if (i + 1 >= size || data[i + 1] == '{')
                    break;
                const int64_t brace = appended(data, begin_of_log, i, size);
                if (brace >= 0) {
                    i = brace;
                    break;
                }
                ++i;
                BEGIN_LINE(i);
            }
        }
    }
    if (size > begin_of_log) {
        if (s->depth > 0) {  /* the document is cut */
            whole = 0;
            break_record(s, line_code);
            s->seen = BROKEN;
        }
        line_code[s->line] = (uint8_t)s->seen;
        to->n_lines = s->line + 1;
    }
    *is_whole = whole;
    return DONE;
}

/* Scan n logs: fill numbers, records, pieces, line_start and line_code.
 *
 * stops, ends: where each log ends, with and without a line feed that is not its own; rooms: of how many
 * records, lines and pieces there is room for, also for the scratch arrays sockets, nestings and
 * latest; codes, sizes, texts: KEYS; field_place: FIELD_PLACE; found: FOUND of each log. Returns DONE,
 * or what there is no room for.
 */
int64_t scan_json(const uint8_t *data, const int64_t *stops, const int64_t *ends, int64_t n,
                  const int64_t *rooms, double *numbers, int64_t *records, int64_t *line_start,
                  uint8_t *line_code, int64_t *pieces, double *sockets, int64_t *nestings,
                  int64_t *latest, const int64_t *codes, const int64_t *sizes, const uint8_t *texts,
                  const int64_t *field_place, int64_t *found)
{
    const Keys keys = {codes, sizes, texts, field_place};
    Found to = {
        .numbers = numbers, .records = records, .line_start = line_start, .line_code = line_code,
        .pieces = pieces, .sockets = sockets, .nestings = nestings, .latest = latest,
        .room_records = rooms[0], .room_lines = rooms[1], .room_pieces = rooms[2],
    };
    int64_t begin = 0;
    for (int64_t log = 0; log < n; log++, found += N_FOUND) {
        const int said = scan_log(data, begin, ends[log], log, &keys, &to, found + 3);
        if (said != DONE)
            return said;
        found[0] = to.n_lines, found[1] = to.n_records, found[2] = to.n_pieces;
        begin = stops[log];
    }
    return DONE;
}
