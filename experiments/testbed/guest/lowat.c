/*
 * lowat.so: makes a receiver read in larger pieces, which makes a run about four times cheaper.
 *
 * Loaded with LD_PRELOAD into `iperf -s`. Every accepted socket gets
 *   SO_RCVLOWAT  RCVLOWAT bytes: recv() returns when so much has arrived ...
 *   SO_RCVTIMEO  RCVTIMEO_MS: ... or after this time, with whatever has arrived.
 * The second bounds the first: a starved flow's bytes are counted at most RCVTIMEO_MS late, so
 * that a slow flow's one-second reports are not rounded to whole RCVLOWAT pieces. It replaces the
 * timeout that iperf sets for reading data, half a report interval. The 4 s that iperf sets before
 * it, for the client's first bytes, stay: these are lost now and then, and iperf gives the
 * connection up when they are late.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

typedef int (*setsockopt_fn)(int, int, int, const void *, socklen_t);
typedef int (*accept_fn)(int, struct sockaddr *, socklen_t *);

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

static int real_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	static setsockopt_fn next;

	if (!next)
		next = (setsockopt_fn)dlsym(RTLD_NEXT, "setsockopt");
	return next(fd, level, name, value, length);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	long ms = number("RCVTIMEO_MS");

	if (level == SOL_SOCKET && name == SO_RCVTIMEO && ms > 0 &&
	    ((const struct timeval *)value)->tv_sec == 0) {
		struct timeval limit = { ms / 1000, ms % 1000 * 1000 };

		return real_setsockopt(fd, level, name, &limit, sizeof(limit));
	}
	return real_setsockopt(fd, level, name, value, length);
}

int accept(int fd, struct sockaddr *address, socklen_t *length)
{
	static accept_fn next;
	int bytes = number("RCVLOWAT");
	int connection;

	if (!next)
		next = (accept_fn)dlsym(RTLD_NEXT, "accept");
	connection = next(fd, address, length);
	if (connection >= 0 && bytes > 0)
		real_setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
	return connection;
}
