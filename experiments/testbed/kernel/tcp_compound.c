// SPDX-License-Identifier: GPL-2.0
/*
 * Compound TCP, written for the evenflow testbed from its descriptions:
 *
 *   [T] K. Tan, J. Song, Q. Zhang, M. Sridharan: A Compound TCP approach for high-speed and long
 *       distance networks. IEEE INFOCOM 2006.
 *   [D] M. Sridharan, K. Tan, D. Bansal, D. Thaler: Compound TCP: a new TCP congestion control for
 *       high-speed and long distance networks. draft-sridharan-tcpm-ctcp (expired).
 *
 * The window that Linux uses is the sum of two:
 *
 *	snd_cwnd = lwnd + dwnd
 *
 * lwnd, the loss window ("cwnd" in [T] and [D]), is Reno's, but grows by 1/(lwnd + dwnd) with each
 * acknowledged segment. dwnd, the delay window, changes once per round trip, outside slow start:
 *
 *	diff = win * (1 - base_rtt / rtt)	segments of this flow in queues, as in Vegas
 *	dwnd += max(win^k / 8 - 1, 0)		while diff < gamma	(k = 3/4, alpha = 1/8)
 *	dwnd -= diff, not below 0		while diff >= gamma	(eta = 1)
 *	dwnd = max(win / 2 - lwnd / 2, 0)	at a loss, with lwnd halved (beta = 1/2)
 *	dwnd = 0				at a timeout and in slow start
 *
 * gamma begins at 30 segments and follows what Reno would have queued at a loss [D]:
 *
 *	gamma = (1 - 4/5) gamma + 4/5 * 3/4 * diff_reno, held in [5, 30]
 *	diff_reno = lwnd * (1 - base_rtt / rtt) of the last round before the loss
 *
 * Segments below one are kept: dwnd, gamma and the diffs count 1/256 of a segment. Products are
 * taken in 64 bits and fit for windows below 2^23 segments and round trips below 2^32 us.
 * docs/compound.md says where the descriptions are silent or differ, and what was chosen.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <net/tcp.h>

#define SEGMENT_SHIFT	8	/* fixed point: 1/256 of a segment */
#define RTT_UNKNOWN	U32_MAX
#define ENOUGH_SAMPLES	3	/* as Vegas: two may both be of delayed ACKs */

static uint gamma __read_mostly = 30;
static uint gamma_low __read_mostly = 5;
static bool gamma_tuning __read_mostly = true;
static uint low_window __read_mostly = 41;
static bool trace __read_mostly;

module_param(gamma, uint, 0644);
MODULE_PARM_DESC(gamma, "queued segments from which dwnd shrinks; the largest when tuned");
module_param(gamma_low, uint, 0644);
MODULE_PARM_DESC(gamma_low, "smallest tuned gamma, segments");
module_param(gamma_tuning, bool, 0644);
MODULE_PARM_DESC(gamma_tuning, "tune gamma at losses");
module_param(low_window, uint, 0644);
MODULE_PARM_DESC(low_window, "below this window, segments, Compound is Reno");
module_param(trace, bool, 0644);
MODULE_PARM_DESC(trace, "print a line per round and loss");

struct compound {
	u32 lwnd;		/* segments */
	u32 dwnd;		/* 1/256 segment */
	u32 prior_lwnd;		/* both before the last reduction, to undo it */
	u32 prior_dwnd;
	u32 gamma;		/* 1/256 segment */
	u32 diff;		/* of the last whole round, 1/256 segment */
	u32 diff_reno;		/* the same of lwnd alone */
	u32 base_rtt;		/* smallest RTT seen, us */
	u32 round_rtt;		/* smallest of this round, us */
	u32 round_samples;
	u32 round_end;		/* the round ends when an ACK passes this sequence number */
	u8  diff_reno_valid;	/* measured since the last loss */
};

static u32 compound_window(const struct compound *ca)
{
	return ca->lwnd + (ca->dwnd >> SEGMENT_SHIFT);
}

static void compound_trace(struct sock *sk, const char *event, u32 dwnd_before)
{
	const struct compound *ca = inet_csk_ca(sk);

	if (likely(!trace))
		return;
	pr_info("compound %s us %llu host %pI4 lwnd %u dwnd256 %u before256 %u limited %d "
		"diff256 %u gamma256 %u rtt_us %u base_us %u\n",
		event, ktime_get_real_ns() / NSEC_PER_USEC, &inet_sk(sk)->inet_saddr,
		ca->lwnd, ca->dwnd, dwnd_before, tcp_is_cwnd_limited(sk), ca->diff, ca->gamma,
		ca->round_rtt == RTT_UNKNOWN ? 0 : ca->round_rtt, ca->base_rtt);
}

/* win^(3/4), in 1/256 segment: sqrt(w) * sqrt(sqrt(w)), the roots taken of w * 2^32 so that
 * they keep 16 and 24 bits behind the point. Called once per round.
 */
static u64 compound_power(u32 win)
{
	u64 half = int_sqrt64((u64)win << 32);		/* w^(1/2) * 2^16 */
	u64 quarter = int_sqrt64(half << 32);		/* w^(1/4) * 2^24 */

	return (half * quarter) >> (16 + 24 - SEGMENT_SHIFT);
}

/* Segments (1/256) of a window that wait in queues: win * (rtt - base_rtt) / rtt. */
static u32 compound_backlog(u32 win, u32 rtt, u32 base_rtt)
{
	if (rtt <= base_rtt)
		return 0;
	return div64_u64(((u64)win << SEGMENT_SHIFT) * (rtt - base_rtt), rtt);
}

static void compound_start_round(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);

	ca->round_end = tcp_sk(sk)->snd_nxt;
	ca->round_rtt = RTT_UNKNOWN;
	ca->round_samples = 0;
}

static void compound_init(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);

	memset(ca, 0, sizeof(*ca));
	ca->lwnd = tcp_snd_cwnd(tcp_sk(sk));
	ca->gamma = gamma << SEGMENT_SHIFT;
	ca->base_rtt = RTT_UNKNOWN;
	compound_start_round(sk);
}

/* Linux changes snd_cwnd without us (slow start, restart after idling, an application that
 * sends less, the clamp). What is missing is taken from dwnd first; what is more is lwnd's.
 */
static void compound_adopt(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);
	u32 win = tcp_snd_cwnd(tcp_sk(sk));

	if (tcp_in_slow_start(tcp_sk(sk))) {
		ca->lwnd = win;
		ca->dwnd = 0;
	} else if (win > compound_window(ca)) {
		ca->lwnd = win - (ca->dwnd >> SEGMENT_SHIFT);
	} else if (win < compound_window(ca)) {
		ca->lwnd = min(ca->lwnd, win);
		ca->dwnd = (win - ca->lwnd) << SEGMENT_SHIFT;
	}
}

static void compound_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct compound *ca = inet_csk_ca(sk);
	u32 rtt;

	if (sample->rtt_us < 0)
		return;
	rtt = max(sample->rtt_us, 1);
	ca->base_rtt = min(ca->base_rtt, rtt);
	ca->round_rtt = min(ca->round_rtt, rtt);
	ca->round_samples++;
}

/* The end of a round: one step of the delay window. */
static void compound_update_dwnd(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);
	u32 win = compound_window(ca);
	u32 before = ca->dwnd;

	ca->diff = compound_backlog(win, ca->round_rtt, ca->base_rtt);
	ca->diff_reno = compound_backlog(ca->lwnd, ca->round_rtt, ca->base_rtt);
	ca->diff_reno_valid = 1;

	if (ca->diff >= ca->gamma) {
		ca->dwnd -= min(ca->dwnd, ca->diff);
	} else if (win >= low_window && tcp_is_cwnd_limited(sk)) {
		u64 step = compound_power(win) >> 3;

		if (step > 1 << SEGMENT_SHIFT)
			ca->dwnd += step - (1 << SEGMENT_SHIFT);
	}
	compound_trace(sk, "round", before);
}

static void compound_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct compound *ca = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 win;

	compound_adopt(sk);
	if (tcp_in_slow_start(tp)) {
		compound_start_round(sk);
		if (!tcp_is_cwnd_limited(sk))
			return;
		acked = tcp_slow_start(tp, acked);
		ca->lwnd = tcp_snd_cwnd(tp);
		if (!acked)
			return;
	}

	if (tcp_is_cwnd_limited(sk)) {
		win = tcp_snd_cwnd(tp);
		tcp_cong_avoid_ai(tp, win, acked);
		ca->lwnd += tcp_snd_cwnd(tp) - win;
	}
	if (inet_csk(sk)->icsk_ca_state != TCP_CA_Open || !after(ack, ca->round_end))
		return;
	if (ca->round_samples >= ENOUGH_SAMPLES) {
		compound_update_dwnd(sk);
		tcp_snd_cwnd_set(tp, clamp(compound_window(ca), 2U, tp->snd_cwnd_clamp));
	}
	compound_start_round(sk);
}

/* At a loss. lambda = 4/5 is the weight of the new sample. */
static void compound_tune_gamma(struct compound *ca)
{
	u64 sample = (u64)ca->diff_reno * 3 / 4;

	ca->gamma = clamp_t(u64, div_u64(ca->gamma + 4 * sample, 5),
			    gamma_low << SEGMENT_SHIFT, gamma << SEGMENT_SHIFT);
}

static u32 compound_ssthresh(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);
	u32 half;

	compound_adopt(sk);
	if (gamma_tuning && ca->diff_reno_valid)
		compound_tune_gamma(ca);
	ca->diff_reno_valid = 0;
	ca->prior_lwnd = ca->lwnd;
	ca->prior_dwnd = ca->dwnd;
	half = max(compound_window(ca) >> 1, 2U);
	ca->lwnd = max(ca->lwnd >> 1, 2U);
	ca->dwnd = half > ca->lwnd ? (half - ca->lwnd) << SEGMENT_SHIFT : 0;
	compound_trace(sk, "loss", ca->prior_dwnd);
	return half;
}

static u32 compound_undo_cwnd(struct sock *sk)
{
	struct compound *ca = inet_csk_ca(sk);

	ca->lwnd = ca->prior_lwnd;
	ca->dwnd = ca->prior_dwnd;
	return tcp_reno_undo_cwnd(sk);
}

static void compound_set_state(struct sock *sk, u8 state)
{
	struct compound *ca = inet_csk_ca(sk);

	if (state == TCP_CA_Open) {
		compound_start_round(sk);
	} else if (state == TCP_CA_Loss) {
		u32 before = ca->dwnd;

		ca->dwnd = 0;
		ca->gamma = gamma << SEGMENT_SHIFT;
		ca->diff_reno_valid = 0;
		if (tcp_sk(sk)->srtt_us)
			ca->base_rtt = tcp_sk(sk)->srtt_us >> 3;
		compound_trace(sk, "timeout", before);
	}
}

static struct tcp_congestion_ops tcp_compound __read_mostly = {
	.init		= compound_init,
	.ssthresh	= compound_ssthresh,
	.cong_avoid	= compound_cong_avoid,
	.pkts_acked	= compound_pkts_acked,
	.set_state	= compound_set_state,
	.undo_cwnd	= compound_undo_cwnd,
	.owner		= THIS_MODULE,
	.name		= "compound",
};

static int __init compound_register(void)
{
	BUILD_BUG_ON(sizeof(struct compound) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&tcp_compound);
}

static void __exit compound_unregister(void)
{
	tcp_unregister_congestion_control(&tcp_compound);
}

module_init(compound_register);
module_exit(compound_unregister);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Compound TCP");
