/* windowspec.c - a window as people give it. */
#include "src/jobspec/windowspec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

#define YEAR_S (365u * 24 * 3600) /* of a window without an end: as long as Slurm's */

enum window_key {
    KEY_NAME,
    KEY_START,
    KEY_END,
    KEY_DURATION,
    KEY_NODES,
    KEY_USERS,
    KEY_ACCOUNTS,
    KEY_FLAGS,
    KEY_REASON
};

static const struct {
    const char *name;
    enum window_key key;
} keys[] = {
    {"ReservationName", KEY_NAME},
    {"Reservation", KEY_NAME},
    {"Name", KEY_NAME},
    {"StartTime", KEY_START},
    {"Start", KEY_START},
    {"EndTime", KEY_END},
    {"End", KEY_END},
    {"Duration", KEY_DURATION},
    {"Nodes", KEY_NODES},
    {"NodeName", KEY_NODES},
    {"Users", KEY_USERS},
    {"User", KEY_USERS},
    {"Accounts", KEY_ACCOUNTS},
    {"Account", KEY_ACCOUNTS},
    {"Flags", KEY_FLAGS},
    {"Comment", KEY_REASON},
    {"Reason", KEY_REASON},
};

static void windowspec_set_list(struct strv *member, const char *value)
{
    strv_fini(member);
    *member = strv_split(value, ",");
}

/* Node lists are not divided at their commas: brackets have some too. */
static void windowspec_set_nodes(struct strv *member, const char *value)
{
    strv_fini(member);
    strv_push(member, value);
}

static int set_duration(struct windowspec *s, const char *value, struct errtext *err)
{
    int r = strpbrk(value, "smhdw") ? duration_parse_conf(value, &s->duration_s, err)
                                    : duration_parse_slurm(value, &s->duration_s, err);
    if (r == 0 && s->duration_s >= DURATION_NOT_SET)
        s->duration_s = YEAR_S;
    return r == 0 && !s->duration_s ? err_set(err, -EINVAL, tr("a window of no length")) : r;
}

/* MAINT is what we have; those that say what holds here anyway, and those that change nothing for whole
 * nodes, are taken as said. */
static int set_flags(struct windowspec *s, const char *value, struct errtext *err)
{
    static const char *const known[] = {"MAINT", "IGNORE_JOBS", "SPEC_NODES", "OVERLAP", "ALL_NODES", NULL};
    struct strv flags = strv_split(value, ",");
    int r = 0;
    s->maint = false;
    for (size_t i = 0; i < flags.n && r == 0; i++) {
        size_t k = 0;
        while (known[k] && !str_ieq(known[k], flags.v[i]))
            k++;
        if (!known[k])
            r = err_set(err, -EINVAL, tr("flag %s is not supported"), flags.v[i]);
        s->maint = s->maint || k == 0;
    }
    strv_fini(&flags);
    return r;
}

int windowspec_set(struct windowspec *s, const char *key, const char *value, struct wall now,
                   struct errtext *err)
{
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && !str_ieq(keys[i].name, key))
        i++;
    if (i == sizeof keys / sizeof *keys)
        return err_set(err, -ENOENT, tr("%s is not known"), key);
    switch (keys[i].key) {
    case KEY_NAME: xstrset(&s->w.name, value); return 0;
    case KEY_START: return wall_parse(value, now, &s->w.start, err);
    case KEY_END: s->duration_s = 0; return wall_parse(value, now, &s->w.end, err);
    case KEY_DURATION: return set_duration(s, value, err);
    case KEY_NODES: windowspec_set_nodes(&s->w.nodes, value); return 0;
    case KEY_USERS: windowspec_set_list(&s->w.users, value); return 0;
    case KEY_ACCOUNTS: windowspec_set_list(&s->w.accounts, value); return 0;
    case KEY_FLAGS: return set_flags(s, value, err);
    case KEY_REASON: xstrset(&s->w.reason, value); return 0;
    }
    return 0;
}

int windowspec_finish(struct windowspec *s, struct wall now, struct errtext *err)
{
    struct window *w = &s->w;
    if (!wall_is_set(w->start))
        w->start = now;
    if (s->duration_s)
        w->end = wall_add_s(w->start, s->duration_s);
    if (!wall_is_set(w->end))
        return err_set(err, -EINVAL, tr("how long? Give an end or a duration"));
    if (!w->nodes.n)
        return err_set(err, -EINVAL, tr("which nodes? Give a list, or ALL"));
    bool someone = w->users.n || w->accounts.n;
    w->kind = s->maint || !someone ? WINDOW_MAINTENANCE : WINDOW_RESERVATION;
    return 0;
}

void windowspec_fini(struct windowspec *s)
{
    rec_fini(&window_rec, &s->w);
    *s = (struct windowspec){0};
}
