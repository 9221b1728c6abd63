#include <sqlite3.h>

// Swift cannot call what takes any number of arguments.

/* For a process whose one thread alone uses the library: it takes no locks, and keeps no account of its memory. Before
   anything else of it is used. */
static inline int carillon_sqlite_use_one_thread(void) {
  int result = sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  return result == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) : result;
}

/* Room for small things that live as long as a statement runs: so many slots of so many bytes. */
static inline int carillon_sqlite_lookaside(sqlite3 *database, int size, int count) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, count);
}
