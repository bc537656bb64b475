// SPDX-License-Identifier: GPL-2.0
/*
 * CUBIC as it was at the time of Linux 2.6.22 (version 2.1), the kernel of the papers' testbed and of
 * ns-2's modules. Written for the evenflow testbed from the algorithm's descriptions,
 *
 *   [R] I. Rhee, L. Xu: CUBIC: a new TCP-friendly high-speed TCP variant. PFLDnet 2005,
 *   [H] S. Ha, I. Rhee, L. Xu: CUBIC: a new TCP-friendly high-speed TCP variant. ACM SIGOPS Operating
 *       Systems Review 42(5), 2008, which tells the versions apart,
 *
 * and from what ns-2 2.35 does where they are silent: its module is 2.6.22's. This is the same
 * algorithm, not the same code: the cube root here is exact, that of 2.6.22 is up to 0.2 % off.
 * experiments/testbed/tests/test_2622.py sets the two side by side, ACK by ACK.
 *
 *	W(t) = origin + C (t - K)^3,	K = cbrt((origin - cwnd) / C)	C = 0.4, t in s
 *
 * What differs from "cubic" of Linux 6.12: no HyStart; a loss leaves 0.8 of the window (819/1024),
 * not 0.7; above the origin a flow gains at most 16 segments in 0.1 s; before the first loss it gains
 * a segment every 50; it counts ACKs, not the segments that they acknowledge, in slow start too
 * (2.6.22 had no appropriate byte counting by default); round trips are measured in whole jiffies.
 * Loss recovery is that of the kernel around it.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <net/tcp.h>

#define SHARE_SHIFT	10	/* beta and C are in 1/1024 */
#define RATIO_SHIFT	4	/* segments per ACK, in 1/16 */
#define TIME_SHIFT	10	/* t and K are in 1/1024 s */
#define RTT_SHIFT	3	/* round trips are in 1/8 jiffy */

static uint max_increment __read_mostly = 16;	/* segments in 0.1 s */
static uint beta __read_mostly = 819;		/* kept at a loss: 0.8 */
static uint scale __read_mostly = 41;		/* C for a round trip of 0.1 s: 0.04 x 10 */
static bool fast_convergence __read_mostly = true;
static bool tcp_friendliness __read_mostly = true;

module_param(max_increment, uint, 0644);
MODULE_PARM_DESC(max_increment, "most segments that 0.1 s adds above the origin");
module_param(beta, uint, 0644);
MODULE_PARM_DESC(beta, "share of the window that a loss leaves, 1/1024");
module_param(scale, uint, 0644);
MODULE_PARM_DESC(scale, "C / 10, 1/1024");
module_param(fast_convergence, bool, 0644);
MODULE_PARM_DESC(fast_convergence, "a flow that lost below its origin lowers the origin");
module_param(tcp_friendliness, bool, 0644);
MODULE_PARM_DESC(tcp_friendliness, "never slower than Reno with the same loss");

struct cubic2622 {
	u32 acks;		/* after so many, one segment more */
	u32 maximum;		/* next epoch's origin, segments */
	u32 lost_at;		/* window of the last loss, segments; 0: none since a timeout */
	u32 seen_cwnd;		/* when `acks` was computed: for this window, */
	u32 seen_at;		/* then (jiffies) */
	u32 origin;		/* window of the curve's turning point, segments */
	u32 k;			/* its time from the beginning of the epoch, 1/1024 s */
	u32 epoch;		/* beginning of the curve, jiffies; 0: a new one begins */
	u32 rtt_min;		/* 1/8 jiffy; 0: not known */
	u32 reno_acks;		/* ACKs since Reno would have grown */
	u32 reno_window;	/* Reno's window since the beginning of the epoch, segments */
	u32 ratio;		/* segments per ACK, smoothed, 1/16 */
};

static void cubic2622_reset(struct cubic2622 *ca)
{
	memset(ca, 0, sizeof(*ca));
	ca->ratio = 2 << RATIO_SHIFT;
}

static void cubic2622_init(struct sock *sk)
{
	cubic2622_reset(inet_csk_ca(sk));
}

/* The largest whole number below 2^21 whose cube is not above x. */
static u32 cubic2622_root(u64 x)
{
	u64 root = 0;
	int bit;

	for (bit = 20; bit >= 0; bit--) {
		u64 tried = root | 1ULL << bit;

		if (tried * tried * tried <= x)
			root = tried;
	}
	return root;
}

static void cubic2622_begin_epoch(struct cubic2622 *ca, u32 cwnd)
{
	u64 per_segment = div_u64(1ULL << (SHARE_SHIFT + 3 * TIME_SHIFT), scale * 10);

	ca->epoch = tcp_jiffies32;
	ca->reno_acks = 1;
	ca->reno_window = cwnd;
	ca->origin = max(ca->maximum, cwnd);
	ca->k = cubic2622_root(per_segment * (ca->origin - cwnd));
}

/* Acknowledged segments for one more of the window, by the curve. */
static u32 cubic2622_segments(const struct cubic2622 *ca, u32 cwnd)
{
	/* where the window should be a round trip from now */
	u32 ahead = tcp_jiffies32 + (ca->rtt_min >> RTT_SHIFT) - ca->epoch;
	u32 t = (ahead << TIME_SHIFT) / HZ;
	bool rising = t >= ca->k;	/* past the turning point */
	u64 from_k = rising ? t - ca->k : ca->k - t;
	/* before K at most origin - cwnd, so the target is never below 0 */
	u32 offset = (scale * 10 * from_k * from_k * from_k) >> (SHARE_SHIFT + 3 * TIME_SHIFT);
	u32 target = rising ? ca->origin + offset : ca->origin - offset;
	u32 segments = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd;

	if (rising && ca->rtt_min)
		segments = max(segments, cwnd * HZ * 8 / (10 * max_increment * ca->rtt_min));
	return segments;
}

/* Reno's window after the same loss and the same ACKs [R]; the segments that keep up with it. */
static u32 cubic2622_reno(struct cubic2622 *ca, u32 cwnd)
{
	u32 kept = 8 * ((1U << SHARE_SHIFT) + beta) / 3 / ((1U << SHARE_SHIFT) - beta);
	u32 per_segment = cwnd * kept >> 3;

	while (ca->reno_acks > per_segment) {
		ca->reno_acks -= per_segment;
		ca->reno_window++;
	}
	return ca->reno_window > cwnd ? cwnd / (ca->reno_window - cwnd) : U32_MAX;
}

static void cubic2622_update(struct cubic2622 *ca, u32 cwnd)
{
	u32 segments;

	ca->reno_acks++;
	if (ca->seen_cwnd == cwnd && (s32)(tcp_jiffies32 - ca->seen_at) <= HZ / 32)
		return;
	ca->seen_cwnd = cwnd;
	ca->seen_at = tcp_jiffies32;
	if (!ca->epoch)
		cubic2622_begin_epoch(ca, cwnd);
	segments = cubic2622_segments(ca, cwnd);
	if (!ca->lost_at)		/* nothing known of the path */
		segments = 50;
	if (tcp_friendliness)
		segments = min(segments, cubic2622_reno(ca, cwnd));
	ca->acks = max((segments << RATIO_SHIFT) / ca->ratio, 1U);
}

static void cubic2622_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic2622 *ca = inet_csk_ca(sk);
	u32 cwnd = tcp_snd_cwnd(tp);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (cwnd > tp->snd_ssthresh) {
		cubic2622_update(ca, cwnd);
		if (tp->snd_cwnd_cnt < ca->acks) {
			tp->snd_cwnd_cnt++;
			return;
		}
		tp->snd_cwnd_cnt = 0;
	}
	tcp_snd_cwnd_set(tp, min(cwnd + 1, tp->snd_cwnd_clamp));
}

static u32 cubic2622_ssthresh(struct sock *sk)
{
	struct cubic2622 *ca = inet_csk_ca(sk);
	u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));

	ca->epoch = 0;
	if (fast_convergence && cwnd < ca->maximum)
		ca->maximum = cwnd * ((1U << SHARE_SHIFT) + beta) >> (SHARE_SHIFT + 1);
	else
		ca->maximum = cwnd;
	ca->lost_at = cwnd;
	return max(cwnd * beta >> SHARE_SHIFT, 2U);
}

static u32 cubic2622_undo_cwnd(struct sock *sk)
{
	const struct cubic2622 *ca = inet_csk_ca(sk);

	return max(tcp_snd_cwnd(tcp_sk(sk)), ca->maximum);
}

static void cubic2622_set_state(struct sock *sk, u8 state)
{
	if (state == TCP_CA_Loss)
		cubic2622_reset(inet_csk_ca(sk));
}

static void cubic2622_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct cubic2622 *ca = inet_csk_ca(sk);
	u32 rtt;

	if (inet_csk(sk)->icsk_ca_state == TCP_CA_Open && sample->pkts_acked)
		ca->ratio += sample->pkts_acked - (ca->ratio >> RATIO_SHIFT);
	/* not in the first second of an epoch, whose round trips still have recovery in them */
	if (sample->rtt_us < 0 || (ca->epoch && (s32)(tcp_jiffies32 - ca->epoch) < HZ))
		return;
	rtt = (u32)sample->rtt_us / (u32)(USEC_PER_SEC / HZ) << RTT_SHIFT;
	if (!ca->rtt_min || rtt < ca->rtt_min)
		ca->rtt_min = max(rtt, 1U);
}

static struct tcp_congestion_ops cubic2622 __read_mostly = {
	.init		= cubic2622_init,
	.ssthresh	= cubic2622_ssthresh,
	.cong_avoid	= cubic2622_cong_avoid,
	.undo_cwnd	= cubic2622_undo_cwnd,
	.set_state	= cubic2622_set_state,
	.pkts_acked	= cubic2622_pkts_acked,
	.owner		= THIS_MODULE,
	.name		= "cubic2622",
};

static int __init cubic2622_register(void)
{
	BUILD_BUG_ON(sizeof(struct cubic2622) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&cubic2622);
}

static void __exit cubic2622_unregister(void)
{
	tcp_unregister_congestion_control(&cubic2622);
}

module_init(cubic2622_register);
module_exit(cubic2622_unregister);

MODULE_AUTHOR("evenflow");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("CUBIC as at the time of Linux 2.6.22");
