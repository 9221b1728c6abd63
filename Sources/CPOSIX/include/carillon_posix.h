#ifndef CARILLON_POSIX_H
#define CARILLON_POSIX_H

#include <spawn.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/* What Swift's Glibc lacks, calls unsafe, or cannot call because it is variadic or a macro. */

/* The words for an error number. strerror is not safe with threads, and strerror_r comes in two kinds. */
const char *carillon_error_message(int number);

/* How many bytes a read would find; negative on error. ioctl is variadic. */
int carillon_readable_bytes(int fd);

/* The pending error of a socket (SO_ERROR), which is the result of a connect that did not block. */
int carillon_socket_error(int fd);

/* The user at the other end of a Unix socket, as it was when they connected (SO_PEERCRED, whose structure is hidden behind
   _GNU_SOURCE). 0 with the user, or an error number. */
int carillon_peer_user(int fd, uid_t *user);

/* Acknowledge what arrives at once instead of up to 40 ms later. The kernel forgets it after some traffic. */
void carillon_quick_acknowledge(int fd);

/* Hold back partial TCP segments (on), or send them (off): many small writes leave as few segments. */
void carillon_cork(int fd, int on);

/* Whether the kernel says that the wall clock is synchronised (adjtimex). */
int carillon_clock_is_synchronised(void);

/* A timer as a descriptor that becomes readable when it goes off (timerfd_create, CLOCK_REALTIME or CLOCK_BOOTTIME), or -1 with
   errno. */
int carillon_timer(clockid_t clock);

/* Set it to an instant of its clock in microseconds, or, with 0, to none. The instant is one of clock_gettime's, which a
   preloaded library may have moved: then it goes off within 5 ms, so that the clock is looked at again and again. The
   kernel is asked directly. 0, or -1 with errno. */
int carillon_timer_set(int fd, clockid_t clock, int64_t microseconds);

/* Close every descriptor from `lowest` on in the child. Hidden behind _GNU_SOURCE. */
int carillon_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest);

/* Start the child in that directory. Hidden behind _GNU_SOURCE. */
int carillon_spawn_directory(posix_spawn_file_actions_t *actions, const char *path);

/* The process's environment; Swift 6 refuses the mutable global. */
char **carillon_environment(void);

/* Let this process work for its parent only: it works on what processor and disk have left, and is killed when the
   parent ends. -1 where the parent is another one, so has ended already. prctl is variadic, ioprio_set has no wrapper. */
int carillon_stay_behind(pid_t parent);

/* Name resolution that does not block: a thread does it, on which no signal is taken. */
struct carillon_resolution;

/* Starts to look `host` up (stream sockets, any family). `*wake` becomes an eventfd that turns readable when the
   answer is there. NULL where no thread can be started. */
struct carillon_resolution *carillon_resolve(const char *host, int *wake);

/* The result: 0, or an EAI_ number. To be called once `wake` is readable. */
int carillon_resolution_status(struct carillon_resolution *resolution);

/* Writes the numeric form of the address at `position`; 0 when there are no more. */
int carillon_resolution_address(struct carillon_resolution *resolution, int position, char *text, int capacity);

/* Lets go, whether the answer is there or not. */
void carillon_resolution_release(struct carillon_resolution *resolution);

/* The words for an EAI_ number. */
const char *carillon_resolution_message(int status);

#endif
