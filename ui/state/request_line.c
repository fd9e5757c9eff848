/* request_line.c - the command line that does in a shell what a request of the screens does.
 *
 * The words are chosen so that the command sends the same request: stoker cancel for a signal, because
 * scancel leaves out the batch script where no step runs; uhold for an administrator, because hold would
 * let administrators alone release the job.
 */
#include "ui/state/request_line.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/jobspec/jobtargets.h"
#include "src/values/hostlist.h"

/* --- jobs --- */

static bool is_element(const struct job_target *t)
{
    return t->array_index != ARRAY_NONE && t->step == STEP_ALL;
}

/* Elements of one array that follow one another from the first of these on; "8_[3,5-9]" names them. */
static size_t append_elements(struct str *out, const struct job_target *t, size_t n)
{
    size_t k = 1;
    while (k < n && is_element(&t[k]) && t[k].job == t[0].job)
        k++;
    str_appendf(out, "%u_[", t[0].job);
    for (size_t i = 0; i < k; i++) {
        size_t last = i;
        while (last + 1 < k && t[last + 1].array_index == t[last].array_index + 1)
            last++;
        str_appendf(out, "%s%u", i ? "," : "", t[i].array_index);
        if (last > i)
            str_appendf(out, "-%u", t[last].array_index);
        i = last;
    }
    str_append_char(out, ']');
    return k;
}

/* All of them as one word. */
static void append_targets(struct str *line, const struct job_target *t, size_t n)
{
    struct str word = STR_INIT;
    for (size_t i = 0; i < n;) {
        if (word.len)
            str_append_char(&word, ',');
        if (is_element(&t[i]) && i + 1 < n && is_element(&t[i + 1]) && t[i + 1].job == t[i].job) {
            i += append_elements(&word, t + i, n - i);
        } else {
            target_append(&word, &t[i]);
            i++;
        }
    }
    words_append(line, word.s);
    str_fini(&word);
}

static enum request_line_kind line_of_act(const struct msg_act *m, bool admin, struct str *out)
{
    switch ((enum act)m->act) {
    case ACT_CANCEL: str_append(out, "scancel"); break;
    case ACT_SIGNAL: str_appendf(out, "stoker cancel --signal=%s", sigabbrev_np(m->signal)); break;
    case ACT_HOLD: str_append(out, admin && !m->admin_hold ? "scontrol uhold" : "scontrol hold"); break;
    case ACT_RELEASE: str_append(out, "scontrol release"); break;
    case ACT_REQUEUE: str_append(out, "scontrol requeue"); break;
    case ACT_REQUEUE_HOLD: str_append(out, "scontrol requeuehold"); break;
    case ACT_SUSPEND: str_append(out, "scontrol suspend"); break;
    case ACT_RESUME: str_append(out, "scontrol resume"); break;
    case ACT_NOTIFY: return REQUEST_UNNAMED;
    }
    append_targets(out, m->targets.v, m->targets.n);
    return REQUEST_CHANGES;
}

static void append_pair(struct str *line, const char *key, const char *value)
{
    char *word = xasprintf("%s=%s", key, value ? value : "");
    words_append(line, word);
    free(word);
}

static void line_of_update(const struct msg_update *m, struct str *out)
{
    struct str id = STR_INIT;
    target_append(&id, &m->target);
    str_append(out, "scontrol update");
    append_pair(out, "JobId", id.s);
    for (size_t i = 0; i < m->changes.n; i++)
        words_append(out, m->changes.v[i]);
    str_fini(&id);
}

/* --- nodes --- */

static void line_of_drain(const struct msg_drain *m, struct str *out)
{
    char *nodes = hostlist_compress(&m->nodes);
    str_append(out, "scontrol update");
    append_pair(out, "NodeName", nodes);
    append_pair(out, "State", m->drain ? "DRAIN" : "RESUME");
    if (m->drain)
        append_pair(out, "Reason", m->reason);
    free(nodes);
}

static void line_of_note(const struct msg_node_note *m, struct str *out)
{
    char *nodes = hostlist_compress(&m->nodes);
    const char *text = m->text ? m->text : "";
    str_append(out, *text == '-' ? "stoker node -- note" : "stoker node note");
    words_append(out, nodes);
    words_append(out, text);
    free(nodes);
}

/* --- windows --- */

static void request_line_append_time(struct str *line, const char *key, struct wall t)
{
    char iso[WALL_TEXT_SIZE];
    append_pair(line, key, wall_format_iso(t, iso));
}

static void append_list(struct str *line, const char *key, const struct strv *list, bool always)
{
    char *value = strv_join(list, ",");
    if (list->n || always)
        append_pair(line, key, value);
    free(value);
}

static void line_of_window(const struct msg_window_set *m, struct str *out)
{
    const struct window *w = &m->window;
    str_append(out, m->remove   ? "scontrol delete"
                    : m->update ? "scontrol update"
                                : "scontrol create reservation");
    if (!str_is_empty(w->name))
        append_pair(out, "ReservationName", w->name);
    if (m->remove)
        return;
    char *nodes = hostlist_compress(&w->nodes);
    request_line_append_time(out, "StartTime", w->start);
    request_line_append_time(out, "EndTime", w->end);
    append_pair(out, "Nodes", nodes);
    append_list(out, "Users", &w->users, m->update);
    append_list(out, "Accounts", &w->accounts, m->update);
    if (w->kind == WINDOW_MAINTENANCE || m->update)
        append_pair(out, "Flags", w->kind == WINDOW_MAINTENANCE ? "MAINT" : "");
    if (!str_is_empty(w->reason) || m->update)
        append_pair(out, "Comment", w->reason);
    free(nodes);
}

/* --- jobs that are submitted --- */

static bool request_line_has_line(const char *text, const char *line)
{
    size_t n = strlen(line);
    for (const char *s = text; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
        if (strncmp(s, line, n) == 0 && (s[n] == '\n' || !s[n]))
            return true;
    return false;
}

void request_line_append_document(struct str *out, const char *text)
{
    char *end = xstrdup("EOF");
    for (unsigned i = 1; request_line_has_line(text, end); i++) {
        free(end);
        end = xasprintf("EOF_%u", i);
    }
    size_t n = strlen(text);
    str_appendf(out, " <<'%s'\n%s%s%s", end, text, n && text[n - 1] != '\n' ? "\n" : "", end);
    free(end);
}

static enum request_line_kind line_of_submit(const struct msg_submit *m, struct str *out)
{
    if (m->test_only)
        return REQUEST_ASKS;
    if (m->kind != JOB_KIND_BATCH)
        return REQUEST_UNNAMED;
    str_append(out, "sbatch");
    if (!str_is_empty(m->req.workdir)) {
        str_append(out, " --chdir");
        words_append(out, m->req.workdir);
    }
    if (!str_is_empty(m->req.name)) {
        str_append(out, " --job-name");
        words_append(out, m->req.name);
    }
    if (m->payload.argv.n)
        words_append(out, "-");
    for (size_t i = 0; i < m->payload.argv.n; i++)
        words_append(out, m->payload.argv.v[i]);
    char *script = xstrndup((const char *)m->payload.script.p, m->payload.script.n);
    request_line_append_document(out, script);
    free(script);
    return REQUEST_CHANGES;
}

enum request_line_kind request_line(enum msg_kind kind, const void *body, bool admin, struct str *out)
{
    static const enum msg_kind asks[] = {MSG_GET,   MSG_WHY,   MSG_SCRIPT,  MSG_OUTPUT_READ, MSG_WATCH_UTIL,
                                         MSG_STATS, MSG_PING,  MSG_HISTORY, MSG_PRIO,        MSG_SHARES,
                                         MSG_PLAN,  MSG_WAITS, MSG_TRY};
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++)
        if (asks[i] == kind)
            return REQUEST_ASKS;
    if (kind == MSG_ACT)
        return line_of_act(body, admin, out);
    if (kind == MSG_SUBMIT)
        return line_of_submit(body, out);
    if (kind == MSG_UPDATE)
        line_of_update(body, out);
    else if (kind == MSG_DRAIN)
        line_of_drain(body, out);
    else if (kind == MSG_NODE_NOTE)
        line_of_note(body, out);
    else if (kind == MSG_WINDOW_SET)
        line_of_window(body, out);
    else
        return REQUEST_UNNAMED;
    return REQUEST_CHANGES;
}
