/*
 * qdisc_peak: prints the largest backlog of every fifo and netem qdisc of this network namespace,
 *     peak DEVICE KIND HANDLE bytes B packets P dropped D sent_bytes S sent_packets N seed X
 * exact, since the kernel patch 0002 counts at each enqueue and dumps it as TCA_STATS_APP. The
 * seed is netem's, read back from the kernel (0 for other kinds).
 */
#include "rtnl.h"
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <net/if.h>

#define EVENFLOW_TCA_NETEM_PRNG_SEED 14

static void print_qdisc(struct nlmsghdr *header)
{
	struct tcmsg *tc = NLMSG_DATA(header);
	int left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*tc));
	struct gnet_stats_queue queue = { 0 };
	struct gnet_stats_basic basic = { 0 };
	uint32_t peak[2] = { 0 };
	uint64_t seed = 0;
	char device[IF_NAMESIZE] = "?";
	const char *kind = "?";
	int found = 0;

	for (struct rtattr *a = TCA_RTA(tc); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		int type = a->rta_type & NLA_TYPE_MASK;

		if (type == TCA_KIND)
			kind = RTA_DATA(a);
		if (type == TCA_STATS2) {
			int inner = RTA_PAYLOAD(a);

			for (struct rtattr *s = RTA_DATA(a); RTA_OK(s, inner); s = RTA_NEXT(s, inner)) {
				if (s->rta_type == TCA_STATS_BASIC)
					memcpy(&basic, RTA_DATA(s), sizeof(basic));
				if (s->rta_type == TCA_STATS_QUEUE)
					memcpy(&queue, RTA_DATA(s), sizeof(queue));
				if (s->rta_type == TCA_STATS_APP && RTA_PAYLOAD(s) == sizeof(peak)) {
					memcpy(peak, RTA_DATA(s), sizeof(peak));
					found = 1;
				}
			}
		}
		if (type == TCA_OPTIONS && !strcmp(kind, "netem")) {
			int inner = RTA_PAYLOAD(a) - RTA_ALIGN(sizeof(struct tc_netem_qopt));
			struct rtattr *o = (void *)((char *)RTA_DATA(a) +
						    RTA_ALIGN(sizeof(struct tc_netem_qopt)));

			for (; RTA_OK(o, inner); o = RTA_NEXT(o, inner))
				if (o->rta_type == EVENFLOW_TCA_NETEM_PRNG_SEED)
					memcpy(&seed, RTA_DATA(o), sizeof(seed));
		}
	}
	if (!found)
		return;
	if_indextoname(tc->tcm_ifindex, device);
	printf("peak %s %s %x: bytes %u packets %u dropped %u sent_bytes %" PRIu64
	       " sent_packets %u seed %" PRIu64 "\n", device, kind, tc->tcm_handle >> 16, peak[0], peak[1],
	       queue.drops, (uint64_t)basic.bytes, basic.packets, seed);
}

int main(void)
{
	struct request r = {
		.header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)),
			    .nlmsg_type = RTM_GETQDISC,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.tc = { .tcm_family = AF_UNSPEC },
	};
	char answer[32768];
	int fd = rtnl_send(&r);

	for (;;) {
		int bytes = recv(fd, answer, sizeof(answer), 0);

		if (bytes < 0) {
			perror("qdisc_peak: recv");
			return 1;
		}
		for (struct nlmsghdr *h = (void *)answer; NLMSG_OK(h, bytes); h = NLMSG_NEXT(h, bytes)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return 0;
			if (h->nlmsg_type == NLMSG_ERROR) {
				fprintf(stderr, "qdisc_peak: the kernel refuses\n");
				return 1;
			}
			print_qdisc(h);
		}
	}
}
