/*
 * tcp_info ADDRESS SECONDS: the sender's state of the connection to ADDRESS, once a second.
 *
 * Asks the kernel over inet_diag, as `ss -ti` does, but from one process that lives as long as the
 * run: starting a process is the slowest thing that a User-Mode Linux does. Times count from the
 * start of this program; a second in which there is no such connection has no line. Prints
 *     TIME_S CCA cwnd N ssthresh N srtt_us N rttvar_us N retransmits N
 * with the windows in segments and the retransmitted segments since the start of the connection.
 */
#include "rtnl.h"
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <time.h>

static void print_socket(struct nlmsghdr *header, in_addr_t peer, double time_s)
{
	struct inet_diag_msg *socket = NLMSG_DATA(header);
	int left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*socket));
	struct tcp_info info = { 0 };
	const char *cca = "?";

	if (socket->id.idiag_dst[0] != peer)
		return;
	for (struct rtattr *a = (void *)(socket + 1); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == INET_DIAG_CONG)
			cca = RTA_DATA(a);
		if (a->rta_type == INET_DIAG_INFO)
			memcpy(&info, RTA_DATA(a),
			       RTA_PAYLOAD(a) < sizeof(info) ? RTA_PAYLOAD(a) : sizeof(info));
	}
	printf("%.3f %s cwnd %u ssthresh %u srtt_us %u rttvar_us %u retransmits %u\n", time_s, cca,
	       info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh, info.tcpi_rtt, info.tcpi_rttvar,
	       info.tcpi_total_retrans);
}

static void sample(int fd, in_addr_t peer, double time_s)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 diag;
	} r = {
		.header = { .nlmsg_len = sizeof(r), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.diag = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP,
			  .idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1),
			  .idiag_states = 1 << 1 /* established */ },
	};
	static char answer[32768];

	if (send(fd, &r, sizeof(r), 0) < 0) {
		perror("tcp_info: send");
		exit(1);
	}
	for (;;) {
		int bytes = recv(fd, answer, sizeof(answer), 0);

		if (bytes < 0) {
			perror("tcp_info: recv");
			exit(1);
		}
		for (struct nlmsghdr *h = (void *)answer; NLMSG_OK(h, bytes); h = NLMSG_NEXT(h, bytes)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return;
			if (h->nlmsg_type == NLMSG_ERROR) {
				fprintf(stderr, "tcp_info: the kernel refuses\n");
				exit(1);
			}
			print_socket(h, peer, time_s);
		}
	}
}

int main(int argc, char **argv)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	struct timespec zero, next;
	struct in_addr peer;

	if (argc != 3 || fd < 0 || !inet_aton(argv[1], &peer)) {
		fprintf(stderr, "usage: tcp_info ADDRESS SECONDS\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &zero);
	printf("# evenflow-tcp-info/1\n");
	for (int second = 1; second <= atoi(argv[2]); second++) {
		struct timespec now;

		next = zero;
		next.tv_sec += second;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL))
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
		sample(fd, peer.s_addr, now.tv_sec - zero.tv_sec + (now.tv_nsec - zero.tv_nsec) / 1e9);
	}
	printf("# end\n");
	return 0;
}
