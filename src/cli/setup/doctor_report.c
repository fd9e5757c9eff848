#include "src/cli/setup/doctor_report.h"

#include <stdarg.h>

#include "src/base/xalloc.h"

bool doctor_has_check(const struct doctor *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (str_eq(d->checks[i].name, name))
            return true;
    return false;
}

void doctor_append_name(struct str *list, const char *name, size_t n)
{
    if (n < DOCTOR_NAMED)
        str_appendf(list, "%s%s", n ? ", " : "", name);
    else if (n == DOCTOR_NAMED)
        str_append(list, " ...");
}

void doctor_add(struct doctor *d, const char *name, enum check_status status, const char *cure,
                const char *fmt, ...)
{
    struct str text = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&text, fmt, ap);
    va_end(ap);
    d->checks = xreallocarray(d->checks, d->n + 1, sizeof *d->checks);
    d->checks[d->n++] = (struct doctor_check){
        .name = name, .status = status, .text = str_take(&text), .cure = xstrdup(cure)};
}
