/*
 * fp_state: bytes of the host's floating-point state as ptrace hands it over (NT_X86_XSTATE). The
 * testbed's kernel keeps one of each guest process and sends it back; it must have the room
 * (kernel/0006-um-fp-state-of-amx.patch). Runs on the host, before the boot.
 */
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	static char state[1 << 20];
	struct iovec room = { state, sizeof(state) };
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	if (child < 0 || waitpid(child, 0, 0) != child ||
	    ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &room)) {
		perror("fp_state");
		return 1;
	}
	kill(child, SIGKILL);
	printf("%zu\n", room.iov_len);
	return 0;
}
