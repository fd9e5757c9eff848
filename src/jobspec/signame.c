/* signame.c - signals by name. */
#include "src/jobspec/signame.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

#include "src/base/units.h"

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
