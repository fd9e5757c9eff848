/* signame.c - signals by name. */
#include "src/jobspec/signame.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/values/units.h"

#define SIGNAL_DEFAULT_S 60 /* before the end */

int signal_by_name(const char *name)
{
    int64_t number;
    if (int_parse(name, 0, SIGRTMAX, &number, NULL) == 0)
        return (int)number;
    if (strncasecmp(name, "SIG", 3) == 0)
        name += 3;
    for (int i = 1; i < SIGRTMAX; i++) {
        const char *abbreviation = sigabbrev_np(i);
        if (abbreviation && strcasecmp(abbreviation, name) == 0)
            return i;
    }
    return -1;
}

int signal_spec_parse(const char *text, struct signal_spec *ret)
{
    const char *colon = strchr(text, ':'), *s = text;
    bool batch = false;
    for (; s < colon; s++) {
        if (!strchr("RrBb", *s))
            return -EINVAL;
        batch = batch || *s == 'B' || *s == 'b';
    }
    s += *s == ':';
    size_t len = strcspn(s, "@");
    char *name = xstrndup(s, len);
    int number = signal_by_name(name);
    free(name);
    int64_t at_s = SIGNAL_DEFAULT_S;
    if (number < 0 || (s[len] && int_parse(s + len + 1, 0, 65535, &at_s, NULL)))
        return -EINVAL;
    *ret = (struct signal_spec){.number = number, .at_s = (uint32_t)at_s, .batch = batch};
    return 0;
}
