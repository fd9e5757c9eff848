#include "backend/slurm/slurm_window.h"

#include <stdlib.h>

#include "src/base/hostlist.h"
#include "src/base/xalloc.h"
#include "src/model/window.h"

static char *window_text_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v;
    return slurm_key(line, key, &v) ? slurm_text(&v) : NULL;
}

static struct wall window_time_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v;
    return slurm_key(line, key, &v) ? slurm_time(&v) : (struct wall){0};
}

static struct strv window_names_of(const struct slurm_span *line, const char *key)
{
    char *text = window_text_of(line, key);
    struct strv names = {0};
    if (text)
        names = strv_split(text, ",");
    free(text);
    return names;
}

bool slurm_window_read(const struct slurm_span *line, struct window *ret)
{
    char *nodes = window_text_of(line, "Nodes");
    struct strv flags = window_names_of(line, "Flags");
    *ret = (struct window){.name = window_text_of(line, "ReservationName"),
                           .start = window_time_of(line, "StartTime"),
                           .end = window_time_of(line, "EndTime"),
                           .users = window_names_of(line, "Users"),
                           .accounts = window_names_of(line, "Accounts")};
    ret->kind = strv_has(&flags, "MAINT") ? WINDOW_MAINTENANCE : WINDOW_RESERVATION;
    if (nodes && hostlist_expand(nodes, &ret->nodes, NULL) < 0)
        ret->nodes = (struct strv){0};
    strv_fini(&flags);
    free(nodes);
    return window_check(ret, NULL) == 0;
}
