/* A flow of one of the modules, told of each ACK and loss by test_2622.py. MODULE, REGISTER: from gcc. */
#include MODULE

void begin(u32 cwnd)
{
	REGISTER();
	memset(&the_sock, 0, sizeof(the_sock));
	the_sock.tp = (struct tcp_sock){ cwnd, U32_MAX, 0, U32_MAX };
	the_ops->init(&the_sock);
}

/* in_flight: before this ACK, segments. Returns the window, segments. */
u32 acked(u32 now_ms, u32 segments, u32 in_flight, s32 rtt_us)
{
	struct ack_sample sample = { segments, rtt_us };

	tcp_jiffies32 = now_ms;
	cwnd_limited = in_flight >= the_sock.tp.snd_cwnd;
	the_ops->pkts_acked(&the_sock, &sample);
	if (the_sock.icsk.icsk_ca_state == TCP_CA_Open)
		the_ops->cong_avoid(&the_sock, 0, segments);
	return the_sock.tp.snd_cwnd;
}

u32 lost(u32 now_ms)	/* returns the slow-start threshold, segments */
{
	tcp_jiffies32 = now_ms;
	the_sock.tp.snd_ssthresh = the_ops->ssthresh(&the_sock);
	the_sock.tp.snd_cwnd = the_sock.tp.snd_ssthresh;
	the_sock.tp.snd_cwnd_cnt = 0;
	the_sock.icsk.icsk_ca_state = TCP_CA_Recovery;
	return the_sock.tp.snd_ssthresh;
}

void recovered(void)	/* at the window that the loss left */
{
	the_sock.icsk.icsk_ca_state = TCP_CA_Open;
}
