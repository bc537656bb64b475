/* What becomes of the objects and lines that iperf3_objects.c found; iperf3_json_lines.py calls it.
 *
 * numbers and records, FIELDS and RECORD of `Scan`, are columns that are `room` apart, of n objects.
 * No memory is taken: every array is the caller's.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FROM = 1, TO = 2, BYTES = 3, RETRANSMITS = 5, JITTER = 8, IS_OMITTED = 11, SENDS = 12 };  /* FIELDS */
enum { LINE, FIRST, LAST, SECTION, STREAM = 7, IS_TWICE, LOG = 10 };                         /* RECORD */
enum { LINES, WHOLE = 3, N_FOUND };                                                           /* FOUND */
enum { START = 100, INTERVALS, END };                                                        /* PLACES */
enum {  /* codes of objects and lines */
    HEADER, SUMMARY, OMITTED = 4, TWICE, EMPTY, REPEATED, BACKWARDS, INCOMPLETE, ELSEWHERE, SAMPLE,
    BROKEN = 14
};
static const double LONGEST_S = 1e9;  /* 30 years: no test lasts so long */
static const double TOO_MANY_BYTES = 4611686018427387904.0;  /* 2^62 */

/* Say in code what each object is, by its numbers and its section; return how many streams there are. */
int64_t classify_objects(const double *numbers, const int64_t *records, int64_t room, int64_t n,
                         uint8_t *code)
{
    const double *const from = numbers + FROM * room, *const to = numbers + TO * room;
    const double *const bytes = numbers + BYTES * room, *const omitted = numbers + IS_OMITTED * room;
    const int64_t *const section = records + SECTION * room, *const twice = records + IS_TWICE * room;
    const int64_t *const stream = records + STREAM * room;
    int64_t n_streams = 0;
    for (int64_t i = 0; i < n; i++) {
        const int is_timed = isfinite(from[i]) && isfinite(to[i]) && to[i] < LONGEST_S;
        const int has_all = is_timed && bytes[i] >= 0 && bytes[i] < TOO_MANY_BYTES
                            && bytes[i] == floor(bytes[i]);
        if (section[i] == END)
            code[i] = has_all ? SUMMARY : HEADER;
        else if (section[i] != INTERVALS)
            code[i] = section[i] == START ? HEADER : ELSEWHERE;
        else if (!has_all)
            code[i] = INCOMPLETE;
        else if (omitted[i] == 1)
            code[i] = OMITTED;
        else if (to[i] <= from[i])
            code[i] = to[i] < from[i] ? BACKWARDS : EMPTY;
        else
            code[i] = twice[i] ? TWICE : SAMPLE;
        n_streams = stream[i] >= n_streams ? stream[i] + 1 : n_streams;
    }
    return n_streams;
}

/* Give objects of logs that are not whole the code BROKEN where the line of their bytes, their first or
 * their last has `least` or a higher one; return how many did not have it. */
int64_t break_objects(const uint8_t *line_code, const int64_t *records, int64_t room, int64_t n,
                      const int64_t *found, int64_t least, uint8_t *code)
{
    int64_t changed = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t *const of = records + i;
        if (code[i] == BROKEN || found[of[LOG * room] * N_FOUND + WHOLE])
            continue;
        if (line_code[of[LINE * room]] >= least || line_code[of[FIRST * room]] >= least
            || line_code[of[LAST * room]] >= least)
            code[i] = BROKEN, changed++;
    }
    return changed;
}

/* Give the lines of objects their code, where it is higher than what they have. */
int64_t paint_lines(uint8_t *line_code, const int64_t *records, int64_t room, int64_t n,
                    const uint8_t *code)
{
    const int64_t *const first = records + FIRST * room, *const last = records + LAST * room;
    for (int64_t i = 0; i < n; i++)
        for (int64_t line = first[i]; line <= last[i]; line++)
            if (code[i] > line_code[line])
                line_code[line] = code[i];
    return 0;
}

/* Say of each stream what its objects that are neither broken nor repeated say.
 *
 * first: the first of them; sends: 1 or 0; both are left as they are where there is none. counts,
 * has_jitter, is_finished: whether any has retransmissions, jitter, or is of the final report.
 */
int64_t tell_streams(const double *numbers, const int64_t *records, int64_t room, int64_t n,
                     const uint8_t *code, int64_t *first, double *sends, uint8_t *counts,
                     uint8_t *has_jitter, uint8_t *is_finished)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const int64_t k = records[STREAM * room + i];
        if (code[i] == BROKEN || code[i] == REPEATED)
            continue;
        first[k] = i;
        sends[k] = fmax(sends[k], numbers[SENDS * room + i]);
        counts[k] |= !isnan(numbers[RETRANSMITS * room + i]);
        has_jitter[k] |= !isnan(numbers[JITTER * room + i]);
        is_finished[k] |= code[i] == SUMMARY;
    }
    return 0;
}

/* Put the numbers of the objects of a code into rows; return how many there are. */
int64_t select_objects(const uint8_t *code, int64_t n, int64_t wanted, int64_t *rows)
{
    int64_t n_rows = 0;
    for (int64_t i = 0; i < n; i++)
        if (code[i] == wanted)
            rows[n_rows++] = i;
    return n_rows;
}

/* Say of n objects their stream, the id of their file, and the line of their bytes in it, from 1. */
int64_t take_places(const int64_t *records, int64_t room, const int64_t *rows, int64_t n,
                    const int64_t *file_ids, const int64_t *found, int64_t *stream, int64_t *file_id,
                    int64_t *line)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t log = records[LOG * room + rows[i]];
        stream[i] = records[STREAM * room + rows[i]];
        file_id[i] = file_ids[log];
        line[i] = 1 + records[LINE * room + rows[i]] - (log ? found[(log - 1) * N_FOUND + LINES] : 0);
    }
    return 0;
}

/* Take columns of numbers at n rows: number / unit, not a number where it is not from least to most.
 *
 * fields: which columns, n_fields; bounds: unit, least and most of each; to: a column of n each.
 * known: 1 for each column that has any number; to those that have none nothing is written.
 */
int64_t take_columns(const double *numbers, int64_t room, const int64_t *fields, const double *bounds,
                     int64_t n_fields, const int64_t *rows, int64_t n, double *to, uint8_t *known)
{
    for (int64_t k = 0; k < n_fields; k++, bounds += 3, to += n) {
        const double *const column = numbers + fields[k] * room;
        int64_t first = 0;
        while (first < n && !(column[rows[first]] >= bounds[1] && column[rows[first]] <= bounds[2]))
            first++;
        known[k] = first < n;
        for (int64_t i = 0; i < n && known[k]; i++) {
            const double value = column[rows[i]];
            to[i] = value >= bounds[1] && value <= bounds[2] ? value / bounds[0] : NAN;
        }
    }
    return 0;
}

/* Return where a run of lines with the same code ends that begins before line i. */
static int64_t end_of_run(const uint8_t *line_code, int64_t i, int64_t stop)
{
    const uint64_t same = line_code[i - 1] * UINT64_C(0x0101010101010101);
    for (uint64_t eight; i + 8 <= stop; i += 8) {
        memcpy(&eight, line_code + i, 8);
        if (eight != same)
            break;
    }
    while (i < stop && line_code[i] == (uint8_t)same)
        i++;
    return i;
}

/* Count the lines, and then the bytes, of each of n_codes in each of n logs.
 *
 * found: as of scan_json; ends: of the logs, without a line feed that is not theirs.
 */
int64_t count_codes(const uint8_t *line_code, const int64_t *line_start, const int64_t *found,
                    const int64_t *ends, int64_t n, int64_t n_codes, int64_t *counts)
{
    int64_t i = 0;
    for (int64_t log = 0; log < n; log++, counts += 2 * n_codes) {
        const int64_t stop = found[log * N_FOUND];
        while (i < stop) {
            const int64_t first = i;
            const uint8_t code = line_code[first];
            i = end_of_run(line_code, i + 1, stop);
            counts[code] += i - first;
            counts[n_codes + code] += (i < stop ? line_start[i] : ends[log]) - line_start[first];
        }
    }
    return 0;
}
