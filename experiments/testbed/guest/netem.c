/*
 * netem: adds a netem qdisc with a seed, which Debian 12's tc (6.1) cannot set.
 *
 * Reads lines from stdin, one qdisc each:
 *     DEVICE DELAY_NS JITTER_NS LIMIT_PACKETS RATE_BYTES_PER_S SEED
 * Each becomes the root qdisc of the device, handle 1:. A rate of 0 means no rate. The jitter is
 * uniform, DELAY +- JITTER, drawn from a generator that is seeded with SEED (Linux 6.7 or later).
 */
#include "rtnl.h"
#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <net/if.h>

/* From Linux 6.7's pkt_sched.h, newer than the headers of Debian 12. */
#define EVENFLOW_TCA_NETEM_PRNG_SEED 14

static void add_netem(const char *device, int64_t delay_ns, int64_t jitter_ns, uint32_t limit,
		      uint32_t rate, uint64_t seed)
{
	struct request r = {
		.header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)),
			    .nlmsg_type = RTM_NEWQDISC,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK },
		.tc = { .tcm_family = AF_UNSPEC, .tcm_parent = TC_H_ROOT, .tcm_handle = 0x10000,
			.tcm_ifindex = if_nametoindex(device) },
	};
	struct tc_netem_qopt options = { .limit = limit };
	struct tc_netem_rate shaped = { .rate = rate };
	struct rtattr *nest;
	char answer[4096];
	struct nlmsghdr *header = (void *)answer;
	int fd, error;

	attribute(&r, TCA_KIND, "netem", sizeof("netem"));
	nest = attribute(&r, TCA_OPTIONS, &options, sizeof(options));
	attribute(&r, TCA_NETEM_LATENCY64, &delay_ns, sizeof(delay_ns));
	attribute(&r, TCA_NETEM_JITTER64, &jitter_ns, sizeof(jitter_ns));
	if (rate)
		attribute(&r, TCA_NETEM_RATE, &shaped, sizeof(shaped));
	attribute(&r, EVENFLOW_TCA_NETEM_PRNG_SEED, &seed, sizeof(seed));
	nest->rta_len = (char *)&r + r.header.nlmsg_len - (char *)nest;

	fd = rtnl_send(&r);
	if (recv(fd, answer, sizeof(answer), 0) < 0 || header->nlmsg_type != NLMSG_ERROR) {
		perror("netem: no answer");
		exit(1);
	}
	error = ((struct nlmsgerr *)NLMSG_DATA(header))->error;
	if (error) {
		fprintf(stderr, "netem: %s: %s\n", device, strerror(-error));
		exit(1);
	}
}

int main(void)
{
	char device[64];
	int64_t delay_ns, jitter_ns;
	uint32_t limit, rate;
	uint64_t seed;
	int fields;

	while ((fields = scanf("%63s %" SCNd64 " %" SCNd64 " %" SCNu32 " %" SCNu32 " %" SCNu64, device,
			       &delay_ns, &jitter_ns, &limit, &rate, &seed)) == 6)
		add_netem(device, delay_ns, jitter_ns, limit, rate, seed);
	if (fields != EOF) {
		fprintf(stderr, "netem: a line must be: DEVICE DELAY JITTER LIMIT RATE SEED\n");
		return 2;
	}
	return 0;
}
