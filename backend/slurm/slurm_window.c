#include "backend/slurm/slurm_window.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/window.h"
#include "src/values/hostlist.h"

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

static int window_by_start(const void *pa, const void *pb)
{
    const struct window *a = pa, *b = pb;
    return a->start.ms != b->start.ms ? (a->start.ms > b->start.ms) - (a->start.ms < b->start.ms)
                                      : strcmp(a->name, b->name);
}

size_t slurm_windows_read(const struct slurm_span *answer, struct window **ret)
{
    struct slurm_span rest = *answer, line;
    VEC(struct window) windows = VEC_INIT;
    while (slurm_next_line(&rest, &line)) {
        struct window w;
        if (slurm_window_read(&line, &w)) {
            w.id = (uint32_t)windows.n + 1;
            vec_push(&windows, w);
        } else {
            rec_fini(&window_rec, &w);
        }
    }
    if (windows.n)
        qsort(windows.v, windows.n, sizeof *windows.v, window_by_start);
    *ret = windows.v;
    return windows.n;
}

/* --- changes --- */

static void window_push_names(struct strv *ret, const char *key, const struct strv *names)
{
    if (!names->n)
        return;
    char *list = strv_join(names, ",");
    strv_push_take(ret, xasprintf("%s=%s", key, list));
    free(list);
}

/* Seconds since the Epoch: the time zone of the commands does not matter. */
static void window_push_time(struct strv *ret, const char *key, struct wall t)
{
    if (wall_is_set(t))
        strv_push_take(ret, xasprintf("%s=uts%lld", key, (long long)(t.ms / MS_PER_S)));
}

void slurm_window_words(const struct msg_window_set *m, struct strv *ret)
{
    const struct window *w = &m->window;
    bool maintenance = w->kind == WINDOW_MAINTENANCE;
    strv_push(ret, "scontrol");
    strv_push(ret, m->remove ? "delete" : m->update ? "update" : "create");
    if (!m->remove && !m->update)
        strv_push(ret, "reservation");
    if (!str_is_empty(w->name))
        strv_push_take(ret, xasprintf("ReservationName=%s", w->name));
    if (m->remove)
        return;
    window_push_time(ret, "StartTime", w->start);
    window_push_time(ret, "EndTime", w->end);
    window_push_names(ret, "Nodes", &w->nodes);
    window_push_names(ret, "Users", &w->users);
    window_push_names(ret, "Accounts", &w->accounts);
    if (maintenance && !m->update && !w->users.n && !w->accounts.n)
        strv_push(ret, "Users=root");
    if (!m->update && maintenance)
        strv_push(ret, "Flags=MAINT,IGNORE_JOBS");
    if (!str_is_empty(w->reason)) /* Slurm releases that keep no comments refuse it in their words */
        strv_push_take(ret, xasprintf("Comment=%s", w->reason));
}

char *slurm_window_created(const char *out)
{
    static const char mark[] = "Reservation created: ";
    const char *at = strstr(out, mark);
    return at ? xstrndup(at + sizeof mark - 1, strcspn(at + sizeof mark - 1, "\n ")) : NULL;
}
