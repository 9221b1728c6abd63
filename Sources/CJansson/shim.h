#include <jansson.h>

/* json_decref is a static inline over a variable-sized macro expansion that Swift does not import. */
static inline void carillon_json_decref(json_t *node) { json_decref(node); }
