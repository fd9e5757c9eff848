#include "backend/task/shim_setup.h"

REC_DEFINE(shim_setup, SHIM_SETUP_FIELDS)
