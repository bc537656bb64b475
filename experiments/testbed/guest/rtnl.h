/* The little of rtnetlink that netem.c and qdisc_peak.c share. */
#ifndef EVENFLOW_RTNL_H
#define EVENFLOW_RTNL_H
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct request {
	struct nlmsghdr header;
	struct tcmsg tc;
	char attributes[512];
};

static inline struct rtattr *attribute(struct request *r, int type, const void *data, int bytes)
{
	struct rtattr *a = (void *)((char *)r + NLMSG_ALIGN(r->header.nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(bytes);
	if (bytes)
		memcpy(RTA_DATA(a), data, bytes);
	r->header.nlmsg_len = NLMSG_ALIGN(r->header.nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static inline int rtnl_send(const struct request *r)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (fd < 0 || sendto(fd, r, r->header.nlmsg_len, 0, (void *)&kernel, sizeof(kernel)) < 0) {
		perror("rtnetlink");
		exit(1);
	}
	return fd;
}
#endif
