/* libnova has no pkg-config file; its headers are on the compiler's own path. */
#include <libnova/sidereal_time.h>
#include <libnova/solar.h>
#include <math.h>
#include <pthread.h>

/* libnova keeps the last position of the earth in static variables, so two threads at once would get each other's. The
   daemon has one thread; tests run side by side. */
static inline void carillon_sun_position(double julian_day, struct ln_helio_posn *position) {
  static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&alone);
  ln_get_solar_geom_coords(julian_day, position);
  pthread_mutex_unlock(&alone);
}
