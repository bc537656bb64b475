/* The lexer's two loops; lexing.py says what a line, a shape and a number is.
 *
 * No bounds to check: every block ends with a line feed, at which all reading stops. No memory is
 * taken: every array is the caller's.
 */
#include <stdint.h>

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

/* Return where the number that begins at i ends. */
static int64_t end_of_number(const uint8_t *data, int64_t i)
{
    while (KIND[data[i]] == DIGIT)
        i++;
    if (data[i] == '.' && KIND[data[i + 1]] == DIGIT) {
        i++;
        while (KIND[data[i]] == DIGIT)
            i++;
    }
    if ((data[i] | 32) == 'e') {
        int64_t j = i + 1;
        if (data[j] == '+' || data[j] == '-')
            j++;
        while (KIND[data[j]] == DIGIT)
            i = ++j;
    }
    return i;
}

/* Find the lines, their shapes and where their numbers are; return how many shapes there are.
 *
 * Lines of one shape that differ in blanks at their ends may count as two. start, length, shape:
 * of each line; first: its first entry in `where`, and one entry more; where: of each number, from
 * the start of its line; hashes, examples: of each shape, the first line of it; table: zeros,
 * last_slot + 1 of them, a power of 2: for a hash table of the shapes, their number + 1.
 */
int64_t lex_lines(const uint8_t *data, int64_t n_lines, int64_t *start, int32_t *length,
                  int32_t *shape, int64_t *first, int32_t *where, uint64_t *hashes,
                  int64_t *examples, int32_t *table, int64_t last_slot)
{
    int64_t i = 0, n = 0, n_shapes = 0;
    for (int64_t line = 0; line < n_lines; line++) {
        const int64_t begin = i;
        uint64_t state = 0xCBF29CE484222325;  /* FNV-1a, a hash of the shape */
        first[line] = n;
        for (;;) {
            uint8_t c = data[i];
            const uint8_t kind = KIND[c];
            if (kind == LINE_FEED)
                break;
            if (kind == DIGIT) {
                where[n++] = (int32_t)(i - begin);
                i = end_of_number(data, i);
                c = '0';
            } else if (kind == BLANK) {
                while (KIND[data[i]] == BLANK)
                    i++;
                c = ' ';
            } else {
                i++;
            }
            state = (state ^ c) * 0x9E3779B97F4A7C15;
        }
        start[line] = begin;
        length[line] = (int32_t)(i - begin - (i > begin && data[i - 1] == '\r'));
        i++;
        int64_t slot = (int64_t)(state >> 32) & last_slot;
        while (table[slot] && hashes[table[slot] - 1] != state)
            slot = (slot + 1) & last_slot;
        if (!table[slot]) {
            hashes[n_shapes] = state;
            examples[n_shapes] = line;
            table[slot] = (int32_t)++n_shapes;
        }
        shape[line] = table[slot] - 1;
    }
    first[n_lines] = n;
    return n_shapes;
}

/* Parse one number of each of n lines: the place-th of its shape, none where that is below zero.
 *
 * rows: the lines; values: NAN where a line has no such number, -1 where it is not exact this way; returns how many
 * these are. Exact are integers up to 2^53, multiplied or divided once by a power of ten up to
 * 10^22.
 */
int64_t parse_numbers(const uint8_t *data, int64_t n, const int64_t *rows,
                      const int64_t *start, const int32_t *shape, const int64_t *first, const int32_t *where,
                      const int64_t *place, double *values)
{
    int64_t n_hard = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t line = rows[k], nth = place[shape[line]];
        if (nth < 0 || first[line] + nth >= first[line + 1]) {
            values[k] = 0.0 / 0.0;
            continue;
        }
        const uint8_t *p = data + start[line] + where[first[line] + nth];
        uint64_t mantissa = 0;
        int64_t digits = 0, power = 0, exponent = 0;
        for (; KIND[*p] == DIGIT; p++, digits++)
            mantissa = mantissa * 10 + (*p - '0');
        if (*p == '.' && KIND[p[1]] == DIGIT)
            for (p++; KIND[*p] == DIGIT; p++, digits++, power--)
                mantissa = mantissa * 10 + (*p - '0');
        if ((*p | 32) == 'e') {
            const int negative = *++p == '-';
            if (negative || *p == '+')
                p++;
            for (; KIND[*p] == DIGIT; p++)
                exponent = exponent < 9999 ? exponent * 10 + (*p - '0') : 9999;
            power += negative ? -exponent : exponent;
        }
        if (digits > 18 || mantissa > (1LL << 53) || power < -22 || power > 22) {
            values[k] = -1.0;
            n_hard++;
        } else if (power < 0) {
            values[k] = (double)mantissa / POWERS[-power];
        } else {
            values[k] = (double)mantissa * POWERS[power];
        }
    }
    return n_hard;
}
