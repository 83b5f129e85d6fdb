/*
 * fleeting FILE MS [setsid]: forks and leaves, again and again, after MS milliseconds each time, deaf to all
 * that may be ignored; with "setsid" in a process session of its own each time.  Its lives are counted in
 * FILE, 8 bytes.  It gives up by itself after half a minute.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	int rest = argc > 2 ? atoi(argv[2]) : 0;
	time_t end = time(NULL) + 30;

	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) < 0)
		return 1;
	uint64_t *lives = mmap(NULL, sizeof(*lives), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lives == MAP_FAILED)
		return 1;
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (time(NULL) < end) {
		if (fork() > 0)
			_exit(0);
		++*lives;
		if (argc > 3)
			setsid();
		if (rest)
			poll(NULL, 0, rest);
	}
	return 0;
}
