/*
 * pinger ADDRESS COUNT: ICMP echo round-trip times, ten a second, in ms with four decimals.
 * The guest's clock is virtual, so the times are those of the path alone.
 */
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned short checksum(const void *data, int bytes)
{
	const unsigned short *word = data;
	unsigned int sum = 0;

	for (; bytes > 1; bytes -= 2)
		sum += *word++;
	sum = (sum >> 16) + (sum & 0xffff);
	sum += sum >> 16;
	return ~sum;
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer = { .sin_family = AF_INET };
	int count = argc > 2 ? atoi(argv[2]) : 3;
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	if (argc < 2 || fd < 0 || inet_pton(AF_INET, argv[1], &peer.sin_addr) != 1) {
		fprintf(stderr, "usage: pinger ADDRESS [COUNT], as root\n");
		return 2;
	}
	for (int i = 0; i < count; i++) {
		struct { struct icmphdr header; char payload[56]; } echo = { 0 };
		struct timespec sent, received;
		char reply[2048];

		echo.header.type = ICMP_ECHO;
		echo.header.un.echo.id = htons(77);
		echo.header.un.echo.sequence = htons(i);
		echo.header.checksum = checksum(&echo, sizeof(echo));
		clock_gettime(CLOCK_MONOTONIC, &sent);
		if (sendto(fd, &echo, sizeof(echo), 0, (void *)&peer, sizeof(peer)) < 0) {
			perror("pinger: sendto");
			return 1;
		}
		for (;;) {
			struct iphdr *ip = (void *)reply;
			struct icmphdr *icmp;

			if (recv(fd, reply, sizeof(reply), 0) < 0) {
				perror("pinger: recv");
				return 1;
			}
			icmp = (void *)(reply + ip->ihl * 4);
			if (icmp->type == ICMP_ECHOREPLY && ntohs(icmp->un.echo.sequence) == i)
				break;
		}
		clock_gettime(CLOCK_MONOTONIC, &received);
		printf("ping %s seq %d rtt %.4f ms\n", argv[1], i,
		       (received.tv_sec - sent.tv_sec) * 1e3 +
		       (received.tv_nsec - sent.tv_nsec) / 1e6);
		usleep(100000);
	}
	return 0;
}
