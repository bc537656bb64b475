/* The lexer's two loops; lexing.py says what a line, a shape and a number is.
 *
 * No bounds to check: every block ends with a line feed, at which all reading stops. No memory is
 * taken: every array is the caller's.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { OTHER, DIGIT, BLANK, LINE_FEED };

static const uint8_t KIND[256] = {
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
    [' '] = BLANK, ['\t'] = BLANK, ['\n'] = LINE_FEED,
};

static const double POWERS[] = {  /* those that a double holds exactly */
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

typedef struct {  /* mantissa x 10^power, of so many digits, that begins at a byte */
    int64_t at;
    uint64_t mantissa;
    int64_t digits, power;
} Number;

/* Read the number that begins at i; return where it ends. */
static inline int64_t read_number(const uint8_t *data, int64_t i, Number *number)
{
    uint64_t mantissa = 0;
    int64_t power = 0;
    const int64_t begin = i;
    for (uint8_t digit; (digit = (uint8_t)(data[i] - '0')) < 10; i++)
        mantissa = mantissa * 10 + digit;
    int64_t digits = i - begin;
    if (data[i] == '.' && KIND[data[i + 1]] == DIGIT) {
        const int64_t fraction = ++i;
        for (uint8_t digit; (digit = (uint8_t)(data[i] - '0')) < 10; i++)
            mantissa = mantissa * 10 + digit;
        power = fraction - i;
        digits -= power;
    }
    if ((data[i] | 32) == 'e') {
        int64_t j = i + 1, exponent = 0;
        const int negative = data[j] == '-';
        if (negative || data[j] == '+')
            j++;
        while (KIND[data[j]] == DIGIT) {
            exponent = exponent < 9999 ? exponent * 10 + (data[j] - '0') : 9999;
            i = ++j;
        }
        power += negative ? -exponent : exponent;
    }
    *number = (Number){begin, mantissa, digits, power};
    return i;
}

/* Return a number's value; return 0 where it is not exact this way, else 1.
 *
 * Exact are integers up to 2^53, multiplied or divided once by a power of ten up to 10^22.
 */
static int find_value(const Number *n, double *value)
{
    if (n->digits > 18 || n->mantissa > (1LL << 53) || n->power < -22 || n->power > 22)
        return 0;
    *value = n->power < 0 ? (double)n->mantissa / POWERS[-n->power]
                          : (double)n->mantissa * POWERS[n->power];
    return 1;
}

static uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * 0x9E3779B97F4A7C15;
    return state ^ state >> 29;
}

/* Read the line that begins at i; return where it ends, at its line feed.
 *
 * shape: a hash of its shape, eight bytes at a time; numbers: as many as there is room for, of
 * which only `where` they begin is kept where that is given; n: how many these are.
 */
static inline int64_t read_line(const uint8_t *data, int64_t i, uint64_t *shape, Number *numbers,
                                int64_t *where, int64_t room, int64_t *n)
{
    uint64_t state = 0xCBF29CE484222325, word = 0, length = 0;
    int64_t found = 0;
    for (;;) {
        uint8_t c = data[i];
        const uint8_t kind = KIND[c];
        if (kind == LINE_FEED)
            break;
        if (kind == DIGIT) {
            Number number;
            const int64_t begin = i;
            i = read_number(data, i, &number);
            if (found < room) {
                if (where)
                    where[found++] = begin;
                else
                    numbers[found++] = number;
            }
            c = '0';
        } else if (kind == BLANK) {
            while (KIND[data[i]] == BLANK)
                i++;
            c = ' ';
        } else {
            i++;
        }
        word = word << 8 | c;
        if (++length % 8 == 0)
            state = mix(state, word);
    }
    *shape = mix(mix(state, word), length), *n = found;
    return i;
}

/* Return the bytes of the line from begin to the line feed at end, without '\r' at its end. */
static int64_t length_of(const uint8_t *data, int64_t begin, int64_t end)
{
    return end - begin - (end > begin && data[end - 1] == '\r');
}

/* Return the place in a hash table of a shape's number + 1, where there is 0 of a new one. */
static int32_t *find_shape(uint64_t shape, const uint64_t *hashes, int32_t *table,
                           int64_t last_slot)
{
    int64_t slot = (int64_t)(shape >> 32) & last_slot;
    while (table[slot] && hashes[table[slot] - 1] != shape)
        slot = (slot + 1) & last_slot;
    return table + slot;
}

/* Find the lines, their shapes and where their numbers are; return how many shapes there are.
 *
 * Lines of one shape that differ in blanks at their ends may count as two. start, length, shape:
 * of each line; first: its first entry in `where`, and one entry more; where: the byte at which
 * each number begins; hashes, examples: of each shape, the first line of it; table: zeros,
 * last_slot + 1 of them, a power of 2: for a hash table of the shapes, their number + 1.
 */
int64_t lex_lines(const uint8_t *data, int64_t n_lines, int64_t *start, int32_t *length,
                  int32_t *shape, int64_t *first, int64_t *where, uint64_t *hashes,
                  int64_t *examples, int32_t *table, int64_t last_slot)
{
    int64_t begin = 0, n = 0, n_shapes = 0;
    for (int64_t line = 0; line < n_lines; line++) {
        uint64_t hash;
        int64_t n_numbers;
        const int64_t end = read_line(data, begin, &hash, 0, where + n, INT64_MAX, &n_numbers);
        start[line] = begin;
        length[line] = (int32_t)length_of(data, begin, end);
        first[line] = n;
        n += n_numbers;
        int32_t *slot = find_shape(hash, hashes, table, last_slot);
        if (!*slot) {
            hashes[n_shapes] = hash;
            examples[n_shapes] = line;
            *slot = (int32_t)++n_shapes;
        }
        shape[line] = *slot - 1;
        begin = end + 1;
    }
    first[n_lines] = n;
    return n_shapes;
}

/* Parse one number of each of n lines: the place-th of its shape, none where that is below zero.
 *
 * values: NAN where a line has no such number, -1 where it is not exact this way; returns how many
 * these are.
 */
int64_t parse_numbers(const uint8_t *data, int64_t n, const int32_t *shape, const int64_t *first,
                      const int64_t *where, const int64_t *place, double *values)
{
    int64_t n_hard = 0;
    for (int64_t line = 0; line < n; line++) {
        const int64_t nth = place[shape[line]];
        if (nth < 0 || first[line] + nth >= first[line + 1]) {
            values[line] = 0.0 / 0.0;
        } else {
            Number number;
            read_number(data, where[first[line] + nth], &number);
            if (!find_value(&number, values + line)) {
                values[line] = -1.0;
                n_hard++;
            }
        }
    }
    return n_hard;
}

enum { DONE, NEW_SHAPE, FULL, HARD_NUMBER };  /* why scan_reports stops */
enum { COUNTED, REPORT, TOLD };  /* what becomes of the lines of a rule */
enum { MAX_NUMBERS = 64, MAX_HARD = 16 };

typedef struct {  /* reports.py has the same; what is not said is for scan_reports to set */
    int64_t at, file, line;  /* where it is: byte, file, and lines of the file before */
    int64_t n_rows, n_runs, n_told, n_shapes;
    int64_t hard_at;  /* of a number that only Python reads: its byte */
    int64_t n_hard;  /* numbers of the line that Python has read: set by Python, too */
    int64_t size, n_files, first_file, last_slot, longest, room_rows, room_told, n_rules, n_columns,
        key, unknown, too_long;  /* set by Python */
} Reading;

/* Read lines of files that lie one after another: a row of numbers of each report, where lines lie
 * that are told, and counts of all. It stops at a line of a shape that it has not met, of which
 * the caller says the rule and the unit, and where there is no more room, to be called again.
 *
 * file_end, lacks: where each file ends, and whether its last line feed is not its own; hashes,
 * rule, unit: of each shape; table: as of lex_lines; fate, place: of each rule what becomes of its
 * lines, which number is in each column (-1: none); in_use: of each column whether a rule met has
 * it; hard_places, hard: bytes and values of numbers that Python has read; places: of each row
 * line and bytes, a row of room_rows each; values: a row of each column; runs, keys: of rows that
 * share file, unit and key the first row, file and unit, a row of room_rows each, and the key; told:
 * of each line file, line, begin, length, bytes, rule; counts, sizes: of each file and rule lines
 * and bytes. Files count from first_file where they are told, else from 0.
 */
int64_t scan_reports(const uint8_t *data, Reading *r, const int64_t *file_end,
                     const uint8_t *lacks, uint64_t *hashes, const int32_t *rule,
                     const int32_t *unit, int32_t *table, const uint8_t *fate, const int8_t *place,
                     const uint8_t *in_use, const int64_t *hard_places, const double *hard,
                     uint32_t *places, double *values, int64_t *runs, double *keys, int64_t *told,
                     int64_t *counts, int64_t *sizes)
{
    Number numbers[MAX_NUMBERS];
    double row[128];
    int64_t used[128], n_used = 0;  /* columns */
    for (int64_t c = 0; c < r->n_columns; c++)
        if (in_use[c] || c == r->key)
            used[n_used++] = c;
    while (r->at < r->size) {
        while (r->file < r->n_files && r->at >= file_end[r->file])
            r->file++, r->line = 0;
        const int64_t begin = r->at;
        uint64_t hash;
        int64_t n;
        const int64_t end = read_line(data, begin, &hash, numbers, 0, MAX_NUMBERS, &n);
        const int64_t length = length_of(data, begin, end);
        int64_t k = r->too_long, of_unit = 0;
        if (length <= r->longest) {
            int32_t *slot = find_shape(hash, hashes, table, r->last_slot);
            if (!*slot) {
                hashes[r->n_shapes] = hash;
                *slot = (int32_t)++r->n_shapes;
                return NEW_SHAPE;
            }
            k = rule[*slot - 1];
            of_unit = unit[*slot - 1];
        }
        if (fate[k] != COUNTED) {
            for (int64_t u = 0; u < n_used; u++) {
                const int64_t c = used[u], nth = place[k * r->n_columns + c];
                row[c] = 0.0 / 0.0;
                if (nth >= 0 && nth < n && !find_value(numbers + nth, row + c)) {
                    int64_t h = 0;
                    while (h < r->n_hard && hard_places[h] != numbers[nth].at)
                        h++;
                    r->hard_at = numbers[nth].at;
                    if (h == r->n_hard)
                        return HARD_NUMBER;
                    row[c] = hard[h];
                }
                if (row[c] >= 9007199254740992.0)  /* no count is as large */
                    k = r->unknown;
            }
        }
        const int64_t next = end + 1;
        const int64_t n_bytes = next - begin - (lacks[r->file] && next == file_end[r->file]);
        if (fate[k] == REPORT) {
            if (r->n_rows == r->room_rows)
                return FULL;
            const int64_t room = r->room_rows;
            const int64_t file = r->first_file + r->file, *last = runs + r->n_runs - 1;
            if (!r->n_runs || last[room] != file || last[2 * room] != of_unit
                || keys[r->n_runs - 1] != row[r->key]) {
                runs[r->n_runs] = r->n_rows;
                runs[room + r->n_runs] = file;
                runs[2 * room + r->n_runs] = of_unit;
                keys[r->n_runs++] = row[r->key];
            }
            places[r->n_rows] = (uint32_t)r->line + 1;
            places[room + r->n_rows] = (uint32_t)n_bytes;
            for (int64_t u = 0; u < n_used; u++)
                values[used[u] * room + r->n_rows] = row[used[u]];
            r->n_rows++;
        } else if (fate[k] == TOLD) {
            if (r->n_told == r->room_told)
                return FULL;
            const int64_t file = r->first_file + r->file;
            const int64_t of_line[] = {file, r->line + 1, begin, length, n_bytes, k};
            for (int64_t j = 0; j < 6; j++)
                told[6 * r->n_told + j] = of_line[j];
            r->n_told++;
        }
        counts[r->file * r->n_rules + k]++;
        sizes[r->file * r->n_rules + k] += n_bytes;
        r->line++;
        r->n_hard = 0;
        r->at = next;
    }
    return DONE;
}

/* Read files one after another to where there is room, as far as they are plain text and fit.
 *
 * paths: of n files, each with a zero at its end; ends, lacks: as of scan_reports, set here: a line
 * feed is put where a file lacks its last. Returns how many files are read: the next is to be read
 * another way.
 */
int64_t read_files(const uint8_t *paths, int64_t n, uint8_t *to, int64_t room, int64_t *ends,
                   uint8_t *lacks)
{
    static const char *const PACKED[] = {"\x1f\x8b", "\xfd\x37", "\x28\xb5", "BZ", "\xff\xfe",
                                         "\xfe\xff", "\xef\xbb"};
    int64_t used = 0;
    for (int64_t k = 0; k < n; k++) {
        const int handle = open((const char *)paths, O_RDONLY | O_CLOEXEC);
        if (handle < 0)
            return k;
        const int64_t begin = used;
        int64_t got;
        while ((got = read(handle, to + used, (size_t)(room - used))) > 0)
            used += got;
        close(handle);
        if (got < 0 || used == room)
            return k;
        for (size_t m = 0; m < sizeof PACKED / sizeof *PACKED; m++)
            if (used - begin >= 2 && memcmp(to + begin, PACKED[m], 2) == 0)
                return k;
        lacks[k] = used > begin && to[used - 1] != '\n';
        if (lacks[k])
            to[used++] = '\n';
        ends[k] = used;
        paths += strlen((const char *)paths) + 1;
    }
    return n;
}
