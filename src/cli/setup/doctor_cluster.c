/* doctor_cluster.c - doctor's checks of the cluster as its controller sees it. */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/setup/doctor_checks.h"
#include "src/lang/lang.h"
#include "src/model/nodestate.h"

struct names {
    struct str text;
    size_t n;
};

static void add_name(struct names *list, const char *name)
{
    doctor_append_name(&list->text, name, list->n++);
}

/* --- nodes --- */

/* Which of those that do not answer are reached how: the cures differ. */
static const char *away_cure(size_t n_local, size_t n_ssh, bool shared)
{
    if (!n_local)
        return tr("`stoker nodes` says since when and why; `stoker node check NODE` tries the way to one");
    if (n_ssh)
        return tr("`stoker nodes` says since when and why, for each");
    return shared ? tr("`stoker nodes` says why; journalctl -u stoker-agent on this machine")
                  : tr("`stoker nodes` says why; the agent's log is in the state directory, agent/NODE");
}

static void check_answers(struct doctor *d, const struct model *m)
{
    struct names away = {.text = STR_INIT}, others = {.text = STR_INIT};
    size_t n_drained = 0, n_local = 0, n_ssh = 0;
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        n_drained += n->drain;
        if (!node_responds(n)) {
            add_name(&away, n->spec.name);
            n_local += str_eq(n->spec.transport, "local");
            n_ssh += !str_eq(n->spec.transport, "local");
        } else if (n->version && !str_eq(n->version, STOKER_VERSION)) {
            add_name(&others, n->spec.name);
        }
    }
    if (away.n)
        doctor_add(d, N_("nodes"), CHECK_FAIL, away_cure(n_local, n_ssh, d->paths.shared),
                   trn("%zu of %zu does not answer: %s", "%zu of %zu do not answer: %s", away.n), away.n,
                   m->n_nodes, away.text.s);
    else
        doctor_add(d, N_("nodes"), m->n_nodes ? CHECK_OK : CHECK_FAIL,
                   m->n_nodes ? NULL : tr("add nodes to the configuration"),
                   trn("%zu answers, %zu drained", "%zu answer, %zu of them drained", m->n_nodes),
                   m->n_nodes, n_drained);
    if (others.n)
        doctor_add(
            d, N_("agents"), CHECK_WARN,
            tr("install this release there too; where it is sent over, the next connection brings it"),
            trn("%zu is of another release than %s: %s", "%zu are of another release than %s: %s",
                others.n),
            others.n, STOKER_VERSION, others.text.s);
    str_fini(&away.text);
    str_fini(&others.text);
}

/* Checks of their own tell of these. */
static bool doctor_tells_elsewhere(const char *note)
{
    return str_starts(note, NOTE_GPUS_CLOSED) || str_starts(note, NOTE_CONTAINMENT) ||
           str_starts(note, "memory: cgroup");
}

static void check_notes(struct doctor *d, const struct model *m)
{
    struct str notes = STR_INIT;
    size_t n_notes = 0;
    for (size_t i = 0; i < m->n_nodes; i++)
        for (size_t k = 0; k < m->nodes[i]->notes.n; k++)
            if (!doctor_tells_elsewhere(m->nodes[i]->notes.v[k]) && n_notes++ < DOCTOR_NAMED)
                str_appendf(&notes, "%s%s: %s", notes.len ? "; " : "", m->nodes[i]->spec.name,
                            m->nodes[i]->notes.v[k]);
    if (n_notes)
        doctor_add(d, N_("node notes"), CHECK_WARN, NULL, "%s", notes.s);
    str_fini(&notes);
}

/* Where no control group keeps them, jobs are kept by what is measured, and by good manners. */
static void check_containment(struct doctor *d, const struct model *m)
{
    struct str open = STR_INIT;
    size_t n_open = 0, n_contained = 0;
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        const char *text = n->state == NODE_UP ? node_containment(n) : NULL;
        if (!text)
            continue;
        if (node_contains_jobs(n))
            n_contained++;
        else if (n_open++ < DOCTOR_NAMED)
            str_appendf(&open, "%s%s: %s", open.len ? "; " : "", n->spec.name, text);
    }
    if (n_open)
        doctor_add(d, N_("containment"), d->paths.shared ? CHECK_WARN : CHECK_OK,
                   d->paths.shared
                       ? tr("give the agent a control group to divide: Delegate=yes in its unit")
                       : NULL,
                   tr("a job can use more than it has: %s"), open.s);
    else if (n_contained)
        doctor_add(
            d, N_("containment"), CHECK_OK, NULL,
            trn("in force on %zu node, a job cannot use more memory, CPUs and processes than it has",
                "in force on %zu nodes, a job cannot use more memory, CPUs and processes than it has",
                n_contained),
            n_contained);
    str_fini(&open);
}

/* --- GPUs --- */

static void check_gpus_found(struct doctor *d, const struct model *m)
{
    struct str text = STR_INIT;
    size_t n_lacking = 0, total = 0;
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        total += n->gpus == UINT32_MAX ? 0 : n->gpus;
        if (node_lacks_gpus(n) && n_lacking++ < DOCTOR_NAMED)
            str_appendf(&text, tr("%s%s: %u configured, %u found"), text.len ? "; " : "", n->spec.name,
                        n->spec.gpus, n->gpus_found);
    }
    if (n_lacking)
        doctor_add(d, N_("GPUs"), CHECK_WARN,
                   tr("is the driver loaded there (nvidia-smi -L)? Correct `gpus` of the node, or set "
                      "detect = false"),
                   "%s", text.s);
    else if (total)
        doctor_add(d, N_("GPUs"), CHECK_OK, NULL, "%zu", total);
    str_fini(&text);
}

/* An environment variable alone keeps no job from the GPUs of another. */
static void check_gpus_closed(struct doctor *d, const struct model *m)
{
    struct names open = {.text = STR_INIT}, closed = {.text = STR_INIT};
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (n->state == NODE_UP && n->gpus && n->gpus != UINT32_MAX)
            add_name(node_closes_gpus(n) ? &closed : &open, n->spec.name);
    }
    if (open.n)
        doctor_add(d, N_("GPU isolation"), d->paths.shared ? CHECK_WARN : CHECK_OK,
                   d->paths.shared ? tr("remove close_gpus = no from /etc/stoker/policy there, then: "
                                        "systemctl reload stoker-agent")
                                   : NULL,
                   tr("by environment variables alone, a job can open the GPUs of others: %s"),
                   open.text.s);
    if (closed.n)
        doctor_add(d, N_("GPU isolation"), CHECK_OK, NULL,
                   tr("in force, a job cannot open the GPUs of others: %s"), closed.text.s);
    str_fini(&open.text);
    str_fini(&closed.text);
}

/* --- what the configuration names and its check cannot look up --- */

static void need_user(struct names *missing, const char *key, const char *name)
{
    if (str_is_empty(name) || str_eq(name, "*") || getpwnam(name))
        return;
    char *text = xasprintf(tr("user %s (%s)"), name, key);
    add_name(missing, text);
    free(text);
}

static void need_group(struct names *missing, const char *key, const char *name)
{
    if (str_is_empty(name) || str_eq(name, "*") || getgrnam(name))
        return;
    char *text = xasprintf(tr("group %s (%s)"), name, key);
    add_name(missing, text);
    free(text);
}

static void need_groups(struct names *missing, const char *key, const struct strv *names)
{
    for (size_t i = 0; i < names->n; i++)
        need_group(missing, key, names->v[i]);
}

/* Without `accounts` an account is a Unix group. */
static void look_up_accounts(struct names *missing, const struct cluster_spec *s)
{
    for (size_t i = 0; i < s->accounts.n; i++)
        for (size_t k = 0; k < s->accounts.v[i].users.n; k++)
            need_user(missing, "accounts", s->accounts.v[i].users.v[k].name);
    for (size_t i = 0; i < s->limits.n; i++)
        if (s->limits.v[i].scope == LIMIT_ACCOUNT && !s->accounts.n)
            need_group(missing, "limits", s->limits.v[i].name);
    for (size_t i = 0; i < s->parts.n && !s->accounts.n; i++) {
        need_groups(missing, "allow_accounts", &s->parts.v[i].allow_accounts);
        need_groups(missing, "deny_accounts", &s->parts.v[i].deny_accounts);
    }
}

static void doctor_cluster_check_names(struct doctor *d, const struct cluster_spec *s)
{
    struct names missing = {.text = STR_INIT};
    look_up_accounts(&missing, s);
    for (size_t i = 0; i < s->limits.n; i++)
        if (s->limits.v[i].scope == LIMIT_USER)
            need_user(&missing, "limits", s->limits.v[i].name);
    for (size_t i = 0; i < s->parts.n; i++)
        need_groups(&missing, "allow_groups", &s->parts.v[i].allow_groups);
    if (missing.n)
        doctor_add(d, N_("names"), CHECK_WARN,
                   tr("correct them in the configuration, or make the accounts"),
                   tr("this machine does not know %s"), missing.text.s);
    str_fini(&missing.text);
}

static void check_mail(struct doctor *d, const struct cluster_spec *s)
{
    if (str_is_empty(s->mail_program))
        doctor_add(d, N_("mail"), CHECK_OK, NULL, tr("mail_program is not set: --mail-type sends nothing"));
    else if (access(s->mail_program, X_OK) == 0)
        doctor_add(d, N_("mail"), CHECK_OK, NULL, "%s", s->mail_program);
    else
        doctor_add(d, N_("mail"), CHECK_FAIL, tr("install it, or set mail_program in the configuration"),
                   tr("mail_program %s cannot be run: no mail is sent"), s->mail_program);
}

void doctor_check_cluster(struct doctor *d)
{
    struct msg_get get = {.what = GET_SPEC | GET_NODES};
    struct errtext err = {0};
    struct model m;
    model_init(&m);
    if (client_fetch(d->client, &get, &m, &err) < 0) {
        doctor_add(d, N_("nodes"), CHECK_FAIL, NULL, "%s", err.s);
    } else {
        check_answers(d, &m);
        check_notes(d, &m);
        check_containment(d, &m);
        check_gpus_found(d, &m);
        check_gpus_closed(d, &m);
        doctor_cluster_check_names(d, &m.spec);
        check_mail(d, &m.spec);
    }
    model_fini(&m);
}
