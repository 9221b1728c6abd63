#define _GNU_SOURCE
#include "carillon_posix.h"

#include <netdb.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two hold it: the caller, and the look-up until it has ended. A look-up in progress cannot be called back
   (gai_cancel says EAI_NOTCANCELED), so the last of the two to let go frees it. */
struct carillon_resolution {
  atomic_int holders;
  int wake;
  struct gaicb request;
  struct addrinfo hints;
  char *host;
};

void carillon_resolution_release(struct carillon_resolution *resolution) {
  if (!resolution || atomic_fetch_sub(&resolution->holders, 1) != 1) return;
  if (resolution->request.ar_result) freeaddrinfo(resolution->request.ar_result);
  close(resolution->wake);
  free(resolution->host);
  free(resolution);
}

static void resolved(union sigval value) {
  struct carillon_resolution *resolution = value.sival_ptr;
  uint64_t one = 1;
  if (write(resolution->wake, &one, sizeof one) < 0) { /* the counter cannot be full: it is written once */ }
  carillon_resolution_release(resolution);
}

struct carillon_resolution *carillon_resolve(const char *host, int *wake) {
  struct carillon_resolution *resolution = calloc(1, sizeof *resolution);
  if (!resolution) return NULL;
  resolution->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  resolution->host = strdup(host);
  resolution->hints.ai_family = AF_UNSPEC;
  resolution->hints.ai_socktype = SOCK_STREAM;
  resolution->request.ar_name = resolution->host;
  resolution->request.ar_request = &resolution->hints;
  atomic_init(&resolution->holders, 2);

  struct gaicb *requests[] = {&resolution->request};
  struct sigevent notify = {.sigev_notify = SIGEV_THREAD};
  notify.sigev_value.sival_ptr = resolution;
  notify.sigev_notify_function = resolved;

  /* The threads inherit the mask: no signal that the loop waits for may reach them. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed = resolution->wake < 0 || !resolution->host || getaddrinfo_a(GAI_NOWAIT, requests, 1, &notify) != 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) {
    atomic_store(&resolution->holders, 1);
    carillon_resolution_release(resolution);
    return NULL;
  }
  *wake = resolution->wake;
  return resolution;
}

int carillon_resolution_status(struct carillon_resolution *resolution) { return gai_error(&resolution->request); }

int carillon_resolution_address(struct carillon_resolution *resolution, int position, char *text, int capacity) {
  struct addrinfo *entry = resolution->request.ar_result;
  while (entry && position-- > 0) entry = entry->ai_next;
  if (!entry) return 0;
  return getnameinfo(entry->ai_addr, entry->ai_addrlen, text, (socklen_t)capacity, NULL, 0, NI_NUMERICHOST) == 0;
}

const char *carillon_resolution_message(int status) { return gai_strerror(status); }
