#pragma once
/* What tcp_bic2622.c and tcp_cubic2622.c use of the kernel, to run them in a process: test_2622.py. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef unsigned int uint;

#define HZ 1000
#define USEC_PER_SEC 1000000L
#define U32_MAX UINT32_MAX
#define ICSK_CA_PRIV_SIZE sizeof(((struct sock *)0)->ca)
#define __read_mostly
#define __init __attribute__((unused))
#define __exit __attribute__((unused))
#define THIS_MODULE NULL
#define BUILD_BUG_ON(wrong) _Static_assert(!(wrong), #wrong)
#define module_param(...)
#define MODULE_PARM_DESC(...)
#define module_init(...)
#define module_exit(...)
#define MODULE_AUTHOR(...)
#define MODULE_LICENSE(...)
#define MODULE_DESCRIPTION(...)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

enum { TCP_CA_Open, TCP_CA_Recovery = 3, TCP_CA_Loss = 4 };

struct tcp_sock { u32 snd_cwnd, snd_ssthresh, snd_cwnd_cnt, snd_cwnd_clamp; };
struct inet_connection_sock { u8 icsk_ca_state; };
struct sock { struct tcp_sock tp; struct inet_connection_sock icsk; u64 ca[13]; };
struct ack_sample { u32 pkts_acked; s32 rtt_us; };
struct tcp_congestion_ops {
	void (*init)(struct sock *sk);
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	u32 (*undo_cwnd)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 state);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void *owner;
	const char *name;
};

static u32 tcp_jiffies32;
static bool cwnd_limited;	/* as many segments in flight as the window allows */
static struct sock the_sock;
static struct tcp_congestion_ops *the_ops;

static inline void *inet_csk_ca(struct sock *sk) { return sk->ca; }
static inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)&sk->tp; }
static inline struct inet_connection_sock *inet_csk(const struct sock *sk)
{
	return (struct inet_connection_sock *)&sk->icsk;
}
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 cwnd) { tp->snd_cwnd = cwnd; }
static inline bool tcp_is_cwnd_limited(const struct sock *sk) { return cwnd_limited; }
static inline u64 div_u64(u64 dividend, u32 divisor) { return dividend / divisor; }
static inline int tcp_register_congestion_control(struct tcp_congestion_ops *ops)
{
	the_ops = ops;
	return 0;
}
static inline void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops) { }
