// SPDX-License-Identifier: GPL-2.0
/*
 * BIC as it was at the time of Linux 2.6.22, the kernel of the papers' testbed and of ns-2's modules.
 * Written for the evenflow testbed from the algorithm's description,
 *
 *   [B] L. Xu, K. Harfoush, I. Rhee: Binary increase congestion control (BIC) for fast long-distance
 *       networks. IEEE INFOCOM 2004,
 *
 * and from what ns-2 2.35 does where [B] is silent: its module is 2.6.22's. This is the same
 * algorithm, not the same code. experiments/testbed/tests/test_2622.py sets the two side by side,
 * ACK by ACK.
 *
 * What differs from "bic" of Linux 6.12: it counts ACKs, not the segments that they acknowledge, in
 * slow start too (2.6.22 had no appropriate byte counting by default); a window grows with the ACK
 * that follows the n-th; the window that is restored when a reduction is undone. Loss recovery is
 * that of the kernel around it.
 */
#include <linux/module.h>
#include <net/tcp.h>

#define SHARE_SHIFT	10	/* beta is in 1/1024 */
#define RATIO_SHIFT	4	/* segments per ACK, in 1/16 */
#define SEARCH		4	/* the search goes a quarter of the distance per round trip */

static uint max_increment __read_mostly = 16;	/* Smax of [B], segments per round trip */
static uint low_window __read_mostly = 14;
static uint beta __read_mostly = 819;		/* kept at a loss: 0.8 */
static uint smooth_part __read_mostly = 20;	/* round trips of the last step to the maximum */
static bool fast_convergence __read_mostly = true;

module_param(max_increment, uint, 0644);
MODULE_PARM_DESC(max_increment, "most segments that a round trip adds");
module_param(low_window, uint, 0644);
MODULE_PARM_DESC(low_window, "up to this window, segments, BIC is Reno");
module_param(beta, uint, 0644);
MODULE_PARM_DESC(beta, "share of the window that a loss leaves, 1/1024");
module_param(smooth_part, uint, 0644);
MODULE_PARM_DESC(smooth_part, "slowness of the last step to the maximum");
module_param(fast_convergence, bool, 0644);
MODULE_PARM_DESC(fast_convergence, "a flow that lost below its maximum lowers the maximum");

struct bic2622 {
	u32 acks;		/* after so many, one segment more */
	u32 maximum;		/* window that the search is for, segments */
	u32 lost_at;		/* window of the last loss, segments; 0: none since a timeout */
	u32 seen_cwnd;		/* when `acks` was computed: for this window, */
	u32 seen_at;		/* then (jiffies) */
	u32 ratio;		/* segments per ACK, smoothed, 1/16 */
};

static void bic2622_reset(struct bic2622 *ca)
{
	memset(ca, 0, sizeof(*ca));
	ca->ratio = 2 << RATIO_SHIFT;
}

static void bic2622_init(struct sock *sk)
{
	bic2622_reset(inet_csk_ca(sk));
}

/* Acknowledged segments for one more of the window: cwnd / (increase per round trip). */
static u32 bic2622_segments(const struct bic2622 *ca, u32 cwnd)
{
	u32 last_step = cwnd * smooth_part / SEARCH;
	u32 linear = cwnd / max_increment;

	if (cwnd < ca->maximum) {	/* below: additive increase, then binary search */
		u32 step = (ca->maximum - cwnd) / SEARCH;

		return step > max_increment ? linear : step > 1 ? cwnd / step : last_step;
	} else {			/* above: max probing, the search mirrored */
		u32 above = cwnd - ca->maximum;

		if (above < SEARCH)
			return last_step;
		return above < max_increment * (SEARCH - 1) ? cwnd * (SEARCH - 1) / above : linear;
	}
}

static void bic2622_update(struct bic2622 *ca, u32 cwnd)
{
	u32 segments;

	if (ca->seen_cwnd == cwnd && (s32)(tcp_jiffies32 - ca->seen_at) <= HZ / 32)
		return;
	ca->seen_cwnd = cwnd;
	ca->seen_at = tcp_jiffies32;
	if (cwnd <= low_window) {
		ca->acks = cwnd;
		return;
	}
	segments = bic2622_segments(ca, cwnd);
	if (!ca->lost_at)		/* nothing known of the path: 5 % per round trip */
		segments = min(segments, 20U);
	ca->acks = max((segments << RATIO_SHIFT) / ca->ratio, 1U);
}

static void bic2622_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bic2622 *ca = inet_csk_ca(sk);
	u32 cwnd = tcp_snd_cwnd(tp);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (cwnd > tp->snd_ssthresh) {
		bic2622_update(ca, cwnd);
		if (tp->snd_cwnd_cnt < ca->acks) {
			tp->snd_cwnd_cnt++;
			return;
		}
		tp->snd_cwnd_cnt = 0;
	}
	tcp_snd_cwnd_set(tp, min(cwnd + 1, tp->snd_cwnd_clamp));
}

static u32 bic2622_ssthresh(struct sock *sk)
{
	struct bic2622 *ca = inet_csk_ca(sk);
	u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));

	if (fast_convergence && cwnd < ca->maximum)
		ca->maximum = cwnd * ((1U << SHARE_SHIFT) + beta) >> (SHARE_SHIFT + 1);
	else
		ca->maximum = cwnd;
	ca->lost_at = cwnd;
	return max(cwnd <= low_window ? cwnd / 2 : cwnd * beta >> SHARE_SHIFT, 2U);
}

static u32 bic2622_undo_cwnd(struct sock *sk)
{
	const struct bic2622 *ca = inet_csk_ca(sk);

	return max(tcp_snd_cwnd(tcp_sk(sk)), ca->maximum);
}

static void bic2622_set_state(struct sock *sk, u8 state)
{
	if (state == TCP_CA_Loss)
		bic2622_reset(inet_csk_ca(sk));
}

static void bic2622_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct bic2622 *ca = inet_csk_ca(sk);

	if (inet_csk(sk)->icsk_ca_state == TCP_CA_Open && sample->pkts_acked)
		ca->ratio += sample->pkts_acked - (ca->ratio >> RATIO_SHIFT);
}

static struct tcp_congestion_ops bic2622 __read_mostly = {
	.init		= bic2622_init,
	.ssthresh	= bic2622_ssthresh,
	.cong_avoid	= bic2622_cong_avoid,
	.undo_cwnd	= bic2622_undo_cwnd,
	.set_state	= bic2622_set_state,
	.pkts_acked	= bic2622_pkts_acked,
	.owner		= THIS_MODULE,
	.name		= "bic2622",
};

static int __init bic2622_register(void)
{
	BUILD_BUG_ON(sizeof(struct bic2622) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&bic2622);
}

static void __exit bic2622_unregister(void)
{
	tcp_unregister_congestion_control(&bic2622);
}

module_init(bic2622_register);
module_exit(bic2622_unregister);

MODULE_AUTHOR("evenflow");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("BIC as at the time of Linux 2.6.22");
