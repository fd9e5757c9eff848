/* scontrol_reservation.c - scontrol create, update, delete and show reservation. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/cli/scontrol/scontrol_record.h"
#include "src/cli/scontrol/scontrol_reservation.h"
#include "src/jobspec/windowspec.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

static int scontrol_reservation_failed(const struct scontrol *s, const char *what, const char *text)
{
    if (!s->quiet)
        fprintf(stderr, "%s: %s\n", what, text);
    return 1;
}

/* Slurm's scontrol says it twice. */
static int not_updated(const struct scontrol *s, const char *what, const char *text)
{
    scontrol_reservation_failed(s, what, text);
    return scontrol_reservation_failed(s, "slurm_update error", text);
}

/* Sends it. Slurm's lines say what could not be done; ours behind it why. */
static int scontrol_reservation_send(struct scontrol *s, const struct msg_window_set *body,
                                     const char *what, bool say_name)
{
    const char *text = NULL;
    struct errtext err = {""};
    enum refusal refusal = REFUSAL_NONE;
    struct client *c = scontrol_client(s, &text);
    if (!c)
        return scontrol_reservation_failed(s, what, text);
    struct msg_result *r = ask_call(c, MSG_WINDOW_SET, body, MSG_RESULT, &refusal, &err);
    if (!r) {
        text = refusal == REFUSAL_NONE        ? SLURM_TIMEOUT
               : refusal == REFUSAL_NO_WINDOW ? refusal_slurm(REFUSAL_RESERVATION)
               : refusal == REFUSAL_NO_USER   ? refusal_slurm(refusal)
               : err.s[0]                     ? err.s
                                              : refusal_slurm(refusal);
        return body->update ? not_updated(s, what, text) : scontrol_reservation_failed(s, what, text);
    }
    if (say_name)
        printf("Reservation created: %s\n", r->text ? r->text : "");
    msg_free(MSG_RESULT, r);
    return 0;
}

/* "Nodes+=n3" and "-=" are not offered: the whole list is said. On failure *ret_word (may be NULL) is the
 * word that was not understood. */
static int set_words(struct windowspec *spec, size_t n, char *const *w, struct wall now,
                     const char **ret_word, struct errtext *err)
{
    for (size_t i = 0; i < n; i++) {
        char *key = xstrdup(w[i]), *eq = strchr(key, '=');
        int r = -EINVAL;
        if (!eq) {
            err_set(err, r, "%s: key=value expected", key);
        } else {
            *eq = '\0';
            r = windowspec_set(spec, key, eq + 1, now, err);
        }
        free(key);
        if (r < 0) {
            if (ret_word)
                *ret_word = w[i];
            return r;
        }
    }
    return 0;
}

static int not_created(const struct scontrol *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int not_created(const struct scontrol *s, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!s->quiet)
        cli_error(s->cli, "%s  No reservation created.", text);
    return 1;
}

/* Slurm's words for what is wrong with one word; ours where it would not know it. */
static int bad_word(const struct scontrol *s, const char *word, int r, const struct errtext *err)
{
    static const struct {
        const char *key, *what;
    } times[] = {{"start", "start time"}, {"end", "end time"}, {"duration", "duration"}};
    if (r == -ENOENT || !strchr(word, '='))
        return not_created(s, "Unknown parameter %s.", word);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (strncasecmp(word, times[i].key, strlen(times[i].key)) == 0) {
            if (!s->quiet)
                fprintf(stderr, "Invalid time specification (pos=0): %s\n", strchr(word, '=') + 1);
            return not_created(s, "Invalid %s %s.", times[i].what, word);
        }
    return scontrol_reservation_failed(s, "Error creating the reservation", err->s);
}

int scontrol_create_reservation(struct scontrol *s, size_t n, char *const *w)
{
    static const char what[] = "Error creating the reservation";
    const char *text = NULL, *word = NULL;
    struct errtext err = {""};
    struct windowspec spec = {.maint = false};
    struct client *c = scontrol_client(s, &text);
    if (!c)
        return scontrol_reservation_failed(s, what, text);
    struct wall now = client_welcome(c)->now;
    int rc, r = set_words(&spec, n, w, now, &word, &err);
    if (r < 0) {
        rc = bad_word(s, word, r, &err);
    } else if (!spec.duration_s && !wall_is_set(spec.w.end)) {
        rc = not_created(s, "An end time or duration must be given.");
    } else if (!spec.w.nodes.n) {
        rc = not_created(s, "CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified.");
    } else if (!spec.maint && !spec.w.users.n && !spec.w.accounts.n) {
        rc = not_created(s, "Either Users/Groups and/or Accounts must be specified.");
    } else if (windowspec_finish(&spec, now, &err) < 0) {
        rc = scontrol_reservation_failed(s, what, err.s);
    } else {
        struct msg_window_set body = {.window = spec.w};
        rc = scontrol_reservation_send(s, &body, what, true);
    }
    windowspec_fini(&spec);
    return rc;
}

static int scontrol_reservation_fetch(struct scontrol *s, struct model *m, const char **ret_text)
{
    struct msg_get get = {.what = GET_WINDOWS | GET_NODES};
    struct client *c = scontrol_client(s, ret_text);
    model_init(m);
    if (c && client_fetch(c, &get, m, NULL) < 0)
        *ret_text = SLURM_TIMEOUT;
    return *ret_text ? -ECONNRESET : 0;
}

int scontrol_update_reservation(struct scontrol *s, const char *name, size_t n, char *const *w)
{
    static const char what[] = "Error updating the reservation";
    const char *text = NULL;
    struct errtext err = {""};
    struct windowspec spec = {.maint = false};
    struct model m;
    int rc = 0;
    if (scontrol_reservation_fetch(s, &m, &text) < 0)
        rc = scontrol_reservation_failed(s, what, text);
    const struct window *old = rc ? NULL : model_get_window(&m, name);
    struct wall now = rc ? (struct wall){0} : client_welcome(s->client)->now;
    if (!rc && !old)
        rc = not_updated(s, what, "Requested reservation is invalid");
    if (!rc) {
        rec_copy(&window_rec, &spec.w, old);
        spec.maint = old->kind == WINDOW_MAINTENANCE;
        if (set_words(&spec, n, w, now, NULL, &err) < 0 || windowspec_finish(&spec, now, &err) < 0)
            rc = scontrol_reservation_failed(s, what, err.s);
    }
    if (!rc) {
        struct msg_window_set body = {.window = spec.w, .update = true};
        rc = scontrol_reservation_send(s, &body, what, false);
    }
    if (!rc)
        puts("Reservation updated.");
    windowspec_fini(&spec);
    model_fini(&m);
    return rc;
}

int scontrol_delete_reservation(struct scontrol *s, const char *name)
{
    char *own = xstrdup(name);
    struct msg_window_set body = {.window.name = own, .remove = true};
    char *what = xasprintf("delete_reservation ReservationName=%s", name);
    int rc = scontrol_reservation_send(s, &body, what, false);
    free(what);
    free(own);
    return rc;
}

/* --- show --- */

static uint64_t cores_of(const struct window *w, const struct model *m, size_t *ret_nodes)
{
    uint64_t n = 0;
    *ret_nodes = 0;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (window_has_node(w, m->nodes[i]->spec.name)) {
            n += m->nodes[i]->cpus;
            ++*ret_nodes;
        }
    return n;
}

static void record_list(struct show_record *r, const char *key, const struct strv *v)
{
    char *text = strv_join(v, ",");
    record_text(r, key, text);
    free(text);
}

static void record_window(struct str *out, const struct window *w, const struct model *m, struct wall now,
                          bool oneline)
{
    struct show_record r;
    char start[WALL_TEXT_SIZE], end[WALL_TEXT_SIZE], length[UNITS_TEXT_SIZE];
    size_t n_nodes;
    uint64_t cores = cores_of(w, m, &n_nodes);
    bool all = w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES);
    struct strv names = {0};
    for (size_t i = 0; i < m->n_nodes && all; i++)
        strv_push(&names, m->nodes[i]->spec.name);
    char *nodes = hostlist_compress(all ? &names : &w->nodes);
    record_begin(&r, out, oneline);
    record_add(&r, "ReservationName", "%s", w->name);
    record_add(&r, "StartTime", "%s", wall_format_iso(w->start, start));
    record_add(&r, "EndTime", "%s", wall_format_iso(w->end, end));
    record_add(&r, "Duration", "%s",
               duration_format_padded((uint32_t)wall_elapsed_s(w->start, w->end), length));
    record_line(&r);
    record_text(&r, "Nodes", nodes);
    record_add(&r, "NodeCnt", "%zu", n_nodes);
    record_add(&r, "CoreCnt", "%llu", (unsigned long long)cores);
    record_add(&r, "Features", "(null)");
    record_add(&r, "PartitionName", "(null)");
    record_add(&r, "Flags", "%s%s", w->kind == WINDOW_MAINTENANCE ? "MAINT," : "",
               all ? "SPEC_NODES,ALL_NODES" : "SPEC_NODES");
    record_line(&r);
    record_add(&r, "TRES", "cpu=%llu", (unsigned long long)cores);
    record_line(&r);
    record_list(&r, "Users", &w->users);
    record_add(&r, "Groups", "(null)");
    record_list(&r, "Accounts", &w->accounts);
    record_add(&r, "Licenses", "(null)");
    record_add(&r, "State", "%s", w->start.ms <= now.ms ? "ACTIVE" : "INACTIVE");
    record_add(&r, "BurstBuffer", "(null)");
    record_add(&r, "Watts", "n/a");
    record_line(&r);
    record_add(&r, "MaxStartDelay", "(null)");
    if (w->reason) {
        record_line(&r);
        record_text(&r, "Comment", w->reason);
    }
    record_end(&r);
    free(nodes);
    strv_fini(&names);
}

int scontrol_show_reservations(struct scontrol *s, const char *name)
{
    const char *text = NULL;
    struct model m;
    struct str out = STR_INIT;
    int rc = 0;
    if (scontrol_reservation_fetch(s, &m, &text) < 0) {
        model_fini(&m);
        if (!s->quiet)
            fprintf(stderr, "slurm_load_reservations error: %s\n", text);
        return 1;
    }
    for (size_t i = 0; i < m.windows.n; i++)
        if (!name || str_eq(name, m.windows.v[i].name))
            record_window(&out, &m.windows.v[i], &m, client_welcome(s->client)->now, s->oneline);
    if (!out.len && name) {
        printf("Reservation %s not found\n", name);
        rc = 1;
    } else if (!out.len) {
        puts("No reservations in the system");
    }
    out_flush(&out);
    str_fini(&out);
    model_fini(&m);
    return rc;
}
