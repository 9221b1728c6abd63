#define _GNU_SOURCE
#include "carillon_posix.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two hold it: the caller, and the look-up until it has ended. A look-up in progress cannot be called back, so the last of
   the two to let go frees it.

   The look-up is a thread of its own. glibc's getaddrinfo_a tells of its end on a thread that blocks no signal, whatever the
   caller blocks: a SIGTERM in that moment ends the process on the spot. */
struct carillon_resolution {
  atomic_int holders;
  int wake;
  atomic_int status;
  struct addrinfo *found;
  char *host;
};

void carillon_resolution_release(struct carillon_resolution *resolution) {
  if (!resolution || atomic_fetch_sub(&resolution->holders, 1) != 1) return;
  if (resolution->found) freeaddrinfo(resolution->found);
  close(resolution->wake);
  free(resolution->host);
  free(resolution);
}

static void *look_up(void *context) {
  struct carillon_resolution *resolution = context;
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  atomic_store(&resolution->status, getaddrinfo(resolution->host, NULL, &hints, &resolution->found));
  uint64_t one = 1;
  if (write(resolution->wake, &one, sizeof one) < 0) { /* the counter cannot be full: it is written once */ }
  carillon_resolution_release(resolution);
  return NULL;
}

struct carillon_resolution *carillon_resolve(const char *host, int *wake) {
  struct carillon_resolution *resolution = calloc(1, sizeof *resolution);
  if (!resolution) return NULL;
  resolution->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  resolution->host = strdup(host);
  atomic_init(&resolution->holders, 2);
  atomic_init(&resolution->status, EAI_INPROGRESS);

  pthread_t thread;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  /* The thread inherits the mask: no signal that the loop waits for may reach it. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed =
      resolution->wake < 0 || !resolution->host || pthread_create(&thread, &detached, look_up, resolution) != 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  if (failed) {
    atomic_store(&resolution->holders, 1);
    carillon_resolution_release(resolution);
    return NULL;
  }
  *wake = resolution->wake;
  return resolution;
}

int carillon_resolution_status(struct carillon_resolution *resolution) { return atomic_load(&resolution->status); }

int carillon_resolution_address(struct carillon_resolution *resolution, int position, char *text, int capacity) {
  struct addrinfo *entry = resolution->found;
  while (entry && position-- > 0) entry = entry->ai_next;
  if (!entry) return 0;
  return getnameinfo(entry->ai_addr, entry->ai_addrlen, text, (socklen_t)capacity, NULL, 0, NI_NUMERICHOST) == 0;
}

const char *carillon_resolution_message(int status) { return gai_strerror(status); }
