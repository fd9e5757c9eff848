#include "backend/shim/shim_state.h"

#include <stdarg.h>

void shim_message(struct shim *s, const char *fmt, ...)
{
    if (s->message)
        return;
    struct str text = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&text, fmt, ap);
    va_end(ap);
    s->message = str_take(&text);
}
