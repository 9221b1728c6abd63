#include "carillon_posix.h"
