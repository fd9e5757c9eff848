/* forecast_keep.h - what forecasts have learnt, and how they came true, over restarts: the file
 * STATE/forecasts.
 *
 * The file is not part of the state: nothing is decided by it. It is written some seconds after a start,
 * and when the controller stops. A crash loses the starts of these seconds; a file that is missing or
 * damaged means that counting begins again.
 */
#ifndef STOKER_BACKEND_CONTROL_FORECAST_KEEP_H
#define STOKER_BACKEND_CONTROL_FORECAST_KEEP_H

#include "backend/control/core.h"

extern const struct module_ops forecast_keep_module;

#endif
