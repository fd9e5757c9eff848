/* forecast_keep.h - keeps what forecasts have learnt, and their scores, over restarts, in the file
 * STATE/forecasts.
 *
 * The file is not part of the state: no decision depends on it. The controller writes it 30 seconds after a
 * job has started, and when it stops. A crash loses the starts of these seconds. If the file is missing or
 * damaged, counting begins again.
 */
#ifndef STOKER_BACKEND_CONTROL_FORECAST_KEEP_H
#define STOKER_BACKEND_CONTROL_FORECAST_KEEP_H

#include "backend/control/core.h"

extern const struct module_ops forecast_keep_module;

#endif
