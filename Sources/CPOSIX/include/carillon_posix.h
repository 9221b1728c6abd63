#ifndef CARILLON_POSIX_H
#define CARILLON_POSIX_H
#include <sys/ioctl.h>
#endif
