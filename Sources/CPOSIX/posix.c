#define _GNU_SOURCE
#include "carillon_posix.h"

#include <time.h>
#include <sys/timerfd.h>
#include <sys/syscall.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

const char *carillon_error_message(int number) {
  const char *text = strerrordesc_np(number);
  return text ? text : "unknown error";
}

int carillon_readable_bytes(int fd) {
  int count = 0;
  return ioctl(fd, FIONREAD, &count) < 0 ? -1 : count;
}

int carillon_socket_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

int carillon_peer_user(int fd, uid_t *user) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return errno;
  *user = peer.uid;
  return 0;
}

void carillon_quick_acknowledge(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

void carillon_cork(int fd, int on) {
  setsockopt(fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
}

int carillon_clock_is_synchronised(void) {
  struct timex clock = {.modes = 0};
  return adjtimex(&clock) != TIME_ERROR && !(clock.status & STA_UNSYNC);
}

static int64_t microseconds(struct timespec time) { return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000; }

int carillon_timer(clockid_t clock) { return timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC); }

/* Microseconds until a clock that is not the kernel's is looked at again. */
enum { LOOK_AGAIN = 5000 };

int carillon_timer_set(int fd, clockid_t clock, int64_t instant) {
  struct itimerspec timer = {0};
  if (instant > 0) {
    struct timespec shown, real;
    clock_gettime(clock, &shown);
    if (syscall(SYS_clock_gettime, clock, &real) != 0) return -1;
    /* The two readings are some microseconds apart where both are the kernel's. A clock that a preloaded library shows may
       run at another rate, or be set meanwhile: it is looked at again soon. */
    int64_t ahead = microseconds(shown) - microseconds(real);
    if (ahead < -1000 || ahead > 1000) {
      int64_t rest = instant - microseconds(shown);
      instant = microseconds(real) + (rest < LOOK_AGAIN ? rest : LOOK_AGAIN);
    }
    if (instant < 1) instant = 1;
    timer.it_value.tv_sec = instant / 1000000;
    timer.it_value.tv_nsec = instant % 1000000 * 1000;
  }
  return syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &timer, NULL);
}

int carillon_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest) {
  return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

int carillon_spawn_directory(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

int carillon_stay_behind(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return -1;
  setpriority(PRIO_PROCESS, 0, 19);
  /* IOPRIO_WHO_PROCESS, and IOPRIO_CLASS_IDLE above its 13 bits of data: linux/ioprio.h is not in every libc's headers. */
  syscall(SYS_ioprio_set, 1, 0, 3 << 13);
  return 0;
}

char **carillon_environment(void) { return environ; }
