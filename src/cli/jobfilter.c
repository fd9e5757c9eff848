/* jobfilter.c - which jobs a command means. */
#include "src/cli/jobfilter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/usernames.h"
#include "src/client/client_remote.h"
#include "src/model/usage.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

void job_filter_fini(struct job_filter *f)
{
    struct strv *const lists[] = {&f->users, &f->partitions, &f->names,        &f->accounts, &f->qos,
                                  &f->nodes, &f->licenses,   &f->reservations, &f->wckeys};
    target_list_fini(&f->targets);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        strv_fini(lists[i]);
    vec_fini(&f->uids);
}

void filter_set_list(struct strv *list, const char *text)
{
    strv_fini(list);
    *list = strv_split(text, ",");
}

static void clear_users(struct job_filter *f)
{
    strv_fini(&f->users);
    f->users = (struct strv){0};
    vec_clear(&f->uids);
    f->by_user = true;
    f->me = false;
}

static void add_uid(struct job_filter *f, uid_t uid)
{
    char *name = username_of(uid);
    if (name)
        strv_push_take(&f->users, name);
    else
        vec_push(&f->uids, uid);
}

void filter_set_users(struct job_filter *f, const char *text, struct strv *unknown)
{
    clear_users(f);
    struct strv words = strv_split(text, ",");
    for (size_t i = 0; i < words.n; i++) {
        int64_t uid;
        bool is_number = int_parse(words.v[i], 0, UINT32_MAX - 1, &uid, NULL) == 0;
        if (username_is_known(words.v[i]) || (client_remote_host() && !is_number)) /* not known here */
            strv_push(&f->users, words.v[i]);
        else if (is_number)
            add_uid(f, (uid_t)uid);
        else
            strv_push(unknown, words.v[i]);
    }
    strv_fini(&words);
}

void filter_set_user_me(struct job_filter *f)
{
    clear_users(f);
    add_uid(f, username_own_uid());
    f->me = true;
}

void filter_set_me_there(struct job_filter *f, const struct client *c)
{
    if (!f->me || !client_remote_host())
        return;
    clear_users(f);
    vec_push(&f->uids, username_own_uid_at(c)); /* names of this machine say nothing there */
}

void filter_name_uids(struct job_filter *f)
{
    vec_for_each (&f->uids, i) {
        char text[16];
        snprintf(text, sizeof text, "%u", (unsigned)f->uids.v[i]);
        strv_push(&f->users, text);
    }
}

/* States that a Slurm cluster may have and this one never has. Source: squeue(1), JOB STATE CODES. */
static bool is_foreign_state(const char *word)
{
    static const char *const names[] = {"BF", "BOOT_FAIL",    "CF", "CONFIGURING",  "RD", "RESV_DEL_HOLD",
                                        "RF", "REQUEUE_FED",  "RH", "REQUEUE_HOLD", "RS", "RESIZING",
                                        "RV", "REVOKED",      "SI", "SIGNALING",    "SE", "SPECIAL_EXIT",
                                        "SO", "STAGE_OUT",    "ST", "STOPPED",      "LF", "LAUNCH_FAILED",
                                        "PF", "POWER_UP_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_ieq(names[i], word))
            return true;
    return false;
}

int filter_parse_states(const char *text, uint32_t *ret_mask, struct errtext *err)
{
    struct strv words = strv_split(text, ",");
    uint32_t mask = 0;
    int rc = words.n ? 0 : err_set(err, -EINVAL, "%s", text);
    for (size_t i = 0; i < words.n && rc == 0; i++) {
        enum job_state s;
        char *word = str_trim(words.v[i]);
        if (str_ieq(word, "all"))
            mask |= STATES_ALL;
        else if (job_state_parse(word, &s))
            mask |= 1u << s;
        else if (str_ieq(word, "RQ") || str_ieq(word, "REQUEUED"))
            mask |= STATES_REQUEUED;
        else if (is_foreign_state(word))
            mask |= 1u << 31; /* no job has it */
        else
            rc = err_set(err, -EINVAL, "%s", word);
    }
    strv_fini(&words);
    if (rc == 0)
        *ret_mask = mask;
    return rc;
}

int filter_set_nodes(struct job_filter *f, const char *text, struct errtext *err)
{
    struct strv nodes = {0};
    int rc = hostlist_expand(text, &nodes, err);
    if (rc < 0)
        return rc;
    strv_fini(&f->nodes);
    f->nodes = nodes;
    return 0;
}

void job_filter_to_get(const struct job_filter *f, uint32_t what, struct msg_get *get)
{
    *get = (struct msg_get){.what = what};
    bool few = f->targets.list.n <= GET_NAMES_MAX; /* else all are asked for and looked through here */
    for (size_t i = 0; few && i < f->targets.list.n; i++)
        *rec_list_push(&get->jobs) = f->targets.list.v[i];
    if (f->targets.list.n)
        return;
    if (f->by_user && !f->uids.n && f->users.n && f->users.n <= GET_NAMES_MAX)
        get->users = strv_copy(&f->users);
    if (f->states != STATES_ALL)
        get->states = f->states;
}

static bool list_takes(const struct strv *list, const char *value)
{
    return !list->n || (value && strv_has(list, value));
}

/* A job that asks for several partitions waits in each of them. */
static bool partition_matches(const struct strv *list, const struct job *j)
{
    if (!list->n || list_takes(list, j->partition))
        return true;
    if (j->state != JOB_PENDING || !j->req.partition)
        return false;
    struct strv asked = strv_split(j->req.partition, ",");
    bool any = false;
    for (size_t i = 0; i < asked.n && !any; i++)
        any = strv_has(list, asked.v[i]);
    strv_fini(&asked);
    return any;
}

static bool licenses_match(const struct strv *list, const char *licenses)
{
    if (!list->n)
        return true;
    struct strv held = strv_split(licenses ? licenses : "", ",");
    bool any = false;
    for (size_t i = 0; i < held.n && !any; i++) {
        held.v[i][strcspn(held.v[i], ":")] = '\0';
        any = strv_has(list, held.v[i]);
    }
    strv_fini(&held);
    return any;
}

static bool is_on_nodes(const struct strv *nodes, const struct job *j)
{
    if (!nodes->n)
        return true;
    if (j->state == JOB_PENDING)
        return false;
    for (size_t i = 0; i < j->alloc.n; i++)
        if (strv_has(nodes, j->alloc.v[i].node))
            return true;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const char *node = j->steps.v[i].tasks.v[k].alloc.node;
            if (node && strv_has(nodes, node))
                return true;
        }
    return false;
}

static bool user_matches(const struct job_filter *f, const struct job *j)
{
    if (!f->by_user || (j->user && strv_has(&f->users, j->user)))
        return true;
    vec_for_each (&f->uids, i)
        if (f->uids.v[i] == j->uid)
            return true;
    return false;
}

struct job_members job_filter_reads(const struct job_filter *f)
{
    struct job_members m = {0};
    m.job |= f->by_user ? JOB_HAS(user) | JOB_HAS(uid) : 0;
    m.job |= f->partitions.n ? JOB_HAS(partition) : 0;
    m.req |= f->partitions.n ? REQ_HAS(partition) : 0;
    m.req |= f->names.n ? REQ_HAS(name) : 0;
    m.req |= f->accounts.n ? REQ_HAS(account) : 0;
    m.req |= f->qos.n ? REQ_HAS(qos) : 0;
    m.req |= f->reservations.n ? REQ_HAS(reservation) : 0;
    m.req |= f->wckeys.n ? REQ_HAS(wckey) : 0;
    m.req |= f->licenses.n ? REQ_HAS(licenses) : 0;
    m.job |= f->nodes.n ? JOB_HAS(alloc) | JOB_HAS(steps) : 0;
    m.all_tasks = f->nodes.n > 0; /* a job is listed under the nodes of the tasks that have ended too */
    return m;
}

bool job_filter_takes(const struct job_filter *f, const struct job *j)
{
    return (!f->states || f->states >> j->state & 1) && user_matches(f, j) &&
           partition_matches(&f->partitions, j) && list_takes(&f->names, j->req.name) &&
           list_takes(&f->accounts, j->req.account) && list_takes(&f->qos, job_qos(&j->req)) &&
           list_takes(&f->reservations, req_rare(&j->req)->reservation) &&
           list_takes(&f->wckeys, req_rare(&j->req)->wckey) &&
           licenses_match(&f->licenses, req_detail(&j->req)->licenses) && is_on_nodes(&f->nodes, j);
}

bool job_is_listed(const struct job *j, const struct model *m)
{
    struct wall since = wall_is_set(j->t_settled) ? j->t_settled : j->t_end;
    return !job_state_is_final((enum job_state)j->state) || !wall_is_set(since) ||
           wall_elapsed_s(since, m->now) < m->spec.min_job_age_s;
}
