#include "backend/control/requests/req_prio.h"

#include <stdlib.h>

#include "backend/control/clients/privacy.h"
#include "backend/control/prio_cache.h"
#include "backend/control/users/user_cache.h"

#define ROWS_MAX  2000u   /* of an answer */
#define LOOKS_MAX 200000u /* comparisons for one answer: of jobs with the names in the query */

/* --- priorities --- */

static bool req_prio_is_target(const struct msg_prio *m, const struct job *j)
{
    for (size_t i = 0; i < m->jobs.n; i++) {
        const struct job_target *t = &m->jobs.v[i];
        bool whole = t->array_index == ARRAY_NONE;
        if (whole ? t->job == j->id || t->job == j->array_job
                  : t->job == j->array_job && (t->array_index == j->array_index || job_is_array_record(j)))
            return true;
    }
    return !m->jobs.n;
}

static void req_prio_add_row(struct control *c, const struct msg_prio *m, const struct job *j,
                             const char *name, const struct part_spec *part, struct msg_prio_rows *ret)
{
    if (m->partitions.n && !strv_has(&m->partitions, name))
        return;
    struct prio_row *row = rec_list_push(&ret->rows);
    *row = (struct prio_row){.job = j->id,
                             .array_job = j->array_job,
                             .array_index = j->array_index,
                             .user = xstrdup(j->user),
                             .account = xstrdup(job_account(j)),
                             .partition = xstrdup(name),
                             .qos = xstrdup(req_detail(&j->req)->qos)};
    prio_of(prio_cache_get(c), j, part, &row->parts);
}

/* One row for each partition that the job may run in. Returns their number. */
static size_t req_prio_add_rows(struct control *c, const struct msg_prio *m, const struct job *j,
                                struct msg_prio_rows *ret)
{
    struct strv names = strv_split(j->req.partition, ",");
    for (size_t i = 0; i < names.n; i++)
        req_prio_add_row(c, m, j, names.v[i], model_get_part(&c->model, names.v[i]), ret);
    if (!names.n) {
        const struct part_spec *part = j->partition ? model_job_part(&c->model, j) : NULL;
        part = part ? part : model_default_part(&c->model);
        req_prio_add_row(c, m, j, part ? part->name : j->partition, part, ret);
    }
    size_t n = names.n;
    strv_fini(&names);
    return n;
}

static struct list *req_prio_behind(struct control *c, uint32_t id)
{
    struct job *j = id ? model_get_job(&c->model, id) : NULL;
    if (j)
        return j->in_all.next;
    struct list *at = c->model.all.next;
    while (at != &c->model.all && container_of(at, struct job, in_all)->id <= id)
        at = at->next;
    return at;
}

void req_prio(struct session *s, uint64_t tag, void *body)
{
    const struct msg_prio *m = body;
    struct control *c = s->ctl;
    if (m->jobs.n > GET_NAMES_MAX || m->users.n + m->partitions.n > GET_NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = GET_NAMES_MAX});
        return;
    }
    struct msg_prio_rows ret = {.weights = c->model.spec.priority, .after = m->after};
    size_t looks = 0, looks_each = 1 + m->jobs.n + m->users.n;
    for (struct list *at = req_prio_behind(c, m->after); at != &c->model.all;
         at = at->next, looks += looks_each) {
        const struct job *j = container_of(at, struct job, in_all);
        if (looks >= LOOKS_MAX || ret.rows.n >= ROWS_MAX) {
            ret.more = true;
            break;
        }
        ret.after = j->id;
        bool waits = j->state == JOB_PENDING && j->hold == HOLD_NONE; /* a held job is not in the queue */
        /* The factors of a user say what the user has used. */
        waits = waits && (j->uid == s->uid || !(privacy_of(s) & (PRIVATE_JOBS | PRIVATE_USAGE)));
        if (waits && req_prio_is_target(m, j) && (!m->users.n || strv_has(&m->users, j->user)))
            looks += req_prio_add_rows(c, m, j, &ret) * (1 + m->partitions.n);
    }
    session_send(s, MSG_PRIO_ROWS, tag, &ret);
    rec_fini(&msg_prio_rows_rec, &ret);
}

/* --- shares --- */

/* Not those of accounts either: what they have used less one's own is what others have used. */
static void req_shares_keep_own(const struct session *s, struct msg_shares_rows *all)
{
    const char *own = user_name(s->ctl->users, s->uid);
    size_t kept = 0;
    for (size_t i = 0; i < all->rows.n; i++) {
        struct share_row *r = &all->rows.v[i];
        if (!str_eq(r->user, own)) {
            rec_fini(&share_row_rec, r);
            continue;
        }
        r->norm_usage = r->effective_usage = 0; /* of all that was used */
        r->level_fs = -1;
        if (kept != i)
            all->rows.v[kept] = *r;
        kept++;
    }
    all->rows.n = kept;
}

void req_shares(struct session *s, uint64_t tag, void *body)
{
    const struct msg_shares *m = body;
    struct control *c = s->ctl;
    if (m->accounts.n + m->users.n > GET_NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = GET_NAMES_MAX});
        return;
    }
    struct msg_shares_rows all = {.weights = c->model.spec.priority}, ret = all;
    fairshare_rows(&prio_cache_get(c)->fs, &m->accounts, &m->users, &all);
    if (privacy_of(s) & PRIVATE_USAGE)
        req_shares_keep_own(s, &all);
    size_t from = m->skip < all.rows.n ? m->skip : all.rows.n, left = all.rows.n - from;
    ret.rows.v = left ? &all.rows.v[from] : NULL;
    ret.rows.n = left < ROWS_MAX ? left : ROWS_MAX;
    ret.more = left > ret.rows.n;
    session_send(s, MSG_SHARES_ROWS, tag, &ret);
    rec_fini(&msg_shares_rows_rec, &all);
}
