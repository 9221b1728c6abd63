#include <systemd/sd-event.h>
#include <systemd/sd-daemon.h>
