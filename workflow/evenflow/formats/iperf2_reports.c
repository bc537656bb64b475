/* Reports of iperf 2 that were scanned: bytes and rates in SI units, and which of them are of plain
 * logs; iperf2_reports.py says what that is.
 *
 * A run is reports that follow one another and share log, unit and connection (`key`); begin: the
 * first report of each run, of n_runs. No memory is taken: every array is the caller's.
 */
#include <stdint.h>

#define LAST_DIGIT 0.01  /* of numbers below 10; of those below 1 newer versions print another */

enum { INTERVAL, SUMMARY, OTHER };  /* iperf2_reports.py has the same */

static int64_t end_of(int64_t run, const int64_t *begin, int64_t n_runs, int64_t n)
{
    return run + 1 < n_runs ? begin[run + 1] : n;
}

/* Return the nearest whole number, of two the even one. */
static double nearest(double x)
{
    const double whole = 4503599627370496.0;  /* 2^52: from there on all are whole */
    if (x >= 0 && x < whole)
        return x + whole - whole;
    return x < 0 && x > -whole ? x - whole + whole : x;
}

/* Give n reports bytes and rates in SI units, in the place of what is printed, and a label and a
 * half to '[ *1]'.
 *
 * Where one of the two is the more precise, the other is by it. byte_factor, bit_factor, star: of
 * units, to bytes and to bits per second, and 1 of '[ *1]'; t_start, t_end: in s.
 */
int64_t put_in_units(int64_t n, int64_t n_runs, const int64_t *begin, const int64_t *unit,
                     double *key, const double *byte_factor, const double *bit_factor,
                     const double *star, const double *t_start, const double *t_end,
                     double *amount, double *rate)
{
    for (int64_t run = 0; run < n_runs; run++) {
        key[run] += star[unit[run]] / 2;
        const double of_bytes = byte_factor[unit[run]], of_rate = bit_factor[unit[run]];
        const int64_t end = end_of(run, begin, n_runs, n);
        for (int64_t i = begin[run]; i < end; i++) {
            const double span = t_end[i] - t_start[i];
            const int by_rate = amount[i] < 1 && rate[i] > amount[i];
            const int by_bytes = rate[i] < 1 && amount[i] > rate[i] && span > 0;
            amount[i] *= of_bytes;
            rate[i] *= of_rate;
            if (by_rate) {
                amount[i] = rate[i] * span / 8;
            } else if (by_bytes) {
                const double differ = rate[i] * span / 8 - amount[i];
                const double rounding = LAST_DIGIT * (of_bytes + of_rate * span / 8);
                if (differ <= rounding && -differ <= rounding)  /* else a check names it */
                    rate[i] = amount[i] * 8 / span;
            }
            amount[i] = nearest(amount[i]);
        }
    }
    return n;
}

/* Say of each log whether its reports leave it plain, and count them: plain, n_reports.
 *
 * line, t_start, t_end, n_bytes, rate: of reports; most: the largest rate, bytes and time that can
 * be; special: of each unit, whether no plain log has it; label, announced: of each log the
 * connection that it announces, and the line.
 */
int64_t find_plain(int64_t n, int64_t n_runs, const int64_t *begin, const int64_t *file,
                   const int64_t *unit, const double *key, const uint32_t *line,
                   const double *t_start, const double *t_end, const double *n_bytes,
                   const double *rate, const double *most, const uint8_t *special,
                   const double *label, const int64_t *announced, uint8_t *plain,
                   int64_t *n_reports)
{
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t log = file[run], end = end_of(run, begin, n_runs, n);
        int odd = key[run] != label[log] || special[unit[run]]
                  || line[begin[run]] < announced[log];
        for (int64_t i = begin[run]; i < end; i++)
            odd |= rate[i] > most[0] || n_bytes[i] >= most[1] || t_end[i] > most[2]
                   || !(t_end[i] > t_start[i]);
        if (odd)
            plain[log] = 0;
        n_reports[log] += end - begin[run];
    }
    return n;
}

/* Say what n reports are: kind; counts: how many there are of each.
 *
 * plain, n_reports: of each log; begun: of each log, whether it has had a report, set here.
 */
int64_t sort_reports(int64_t n, int64_t n_runs, const int64_t *begin, const int64_t *file,
                     const double *t_start, const uint8_t *plain, const int64_t *n_reports,
                     uint8_t *begun, uint8_t *kind, int64_t *counts)
{
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t log = file[run], end = end_of(run, begin, n_runs, n);
        for (int64_t i = begin[run]; i < end; i++) {
            const int whole = t_start[i] == 0 && (begun[log] || n_reports[log] == 1);
            kind[i] = plain[log] ? (whole ? SUMMARY : INTERVAL) : OTHER;
            counts[kind[i]]++;
            begun[log] = 1;
        }
    }
    return n;
}

/* Take numbers of the reports of one kind. */
int64_t numbers_of_kind(int64_t n, const uint8_t *kind, int64_t wanted, const double *from,
                        double *to)
{
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++)
        if (kind[i] == wanted)
            to[taken++] = from[i];
    return taken;
}

/* Take whole numbers of the reports of one kind, below 2^63. */
int64_t integers_of_kind(int64_t n, const uint8_t *kind, int64_t wanted, const double *from,
                         int64_t *to)
{
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++)
        if (kind[i] == wanted)
            to[taken++] = (int64_t)from[i];
    return taken;
}

/* Take of the reports of one kind the ids of their logs' files, and their lines. */
int64_t places_of_kind(int64_t n, const uint8_t *kind, int64_t wanted, int64_t n_runs,
                       const int64_t *begin, const int64_t *file, const uint32_t *file_id,
                       const uint32_t *line, uint32_t *to_file_id, uint32_t *to_line)
{
    int64_t taken = 0;
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t end = end_of(run, begin, n_runs, n);
        for (int64_t i = begin[run]; i < end; i++)
            if (kind[i] == wanted) {
                to_file_id[taken] = file_id[file[run]];
                to_line[taken++] = line[i];
            }
    }
    return taken;
}

/* Take of the reports of one kind their units, their connections, and the bytes of their lines. */
int64_t marks_of_kind(int64_t n, const uint8_t *kind, int64_t wanted, int64_t n_runs,
                      const int64_t *begin, const int64_t *unit, const double *key,
                      const uint32_t *n_bytes, uint32_t *to_unit, double *to_key,
                      uint32_t *to_bytes)
{
    int64_t taken = 0;
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t end = end_of(run, begin, n_runs, n);
        for (int64_t i = begin[run]; i < end; i++)
            if (kind[i] == wanted) {
                to_unit[taken] = (uint32_t)unit[run];
                to_key[taken] = key[run];
                to_bytes[taken++] = n_bytes[i];
            }
    }
    return taken;
}
