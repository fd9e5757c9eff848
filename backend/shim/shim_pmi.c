/* rank --PMI_FD--> put, get, fence ...          one socket for each rank, blocking on the rank's side
 *     all ranks here in a fence --PMI_FENCE--> agent --> controller --PMI_ALL--> each task's shim
 *                                                        (tasks on one node alone need neither)
 *
 * What is put is kept by name in this shim; a fence brings the other nodes' pairs here. A fence that is not
 * answered is repeated. The answer of the last fence is kept: a controller that was killed while it
 * answered has answered some tasks alone, and the next controller gets the answer from one of these
 * (PMI_KEPT). So the shim stays behind its ranks until all tasks of the step are past its last fence
 * (PMI_PAST), unless its task has failed or is ended. An abort is repeated, and the shim stays, until the
 * controller ends the step. Everything a rank may say is bounded; a rank whose message cannot be read gets
 * no further answer.
 *
 * Source: the PMI-2 API and wire protocol as MPICH's simple client speaks it: six bytes of length, then
 * "key=value;" with ';' doubled in values. PMI-1: lines "key=value key=value".
 */
#include "backend/shim/shim_pmi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_files.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_pmi_words.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"

#define MESSAGE_MAX 65536
#define AGAIN_MS    2000
#define NAME_MAX_1  64 /* what PMI-1 is told */
#define VALUE_MAX_1 1024

enum pmi_wait { WAIT_NOTHING, WAIT_FENCE, WAIT_ATTR };

struct pmi_rank {
    int fd;      /* ours; -1: closed */
    int version; /* 0: has said nothing yet */
    struct str in;
    enum pmi_wait wait;
    char *wanted, *thread; /* the attribute that is waited for; PMI-2's mark of the asking thread */
};

struct pair {
    char *key, *value;
    bool is_new; /* put by a rank here since the last fence */
};

struct pmi {
    struct pmi_rank *ranks;
    VEC(struct pair) pairs, attrs; /* attrs: of this node alone */
    struct idmap by_key;           /* hash, or the next free number after it -> index + 1 */
    VEC(uint32_t) part;            /* indices of the new pairs: this task's part of the next fence */
    VEC(uint32_t) answer, kept; /* the same of the answer so far; of the whole answer of the fence before */
    size_t bytes, part_bytes;   /* of pairs and attrs; of the part */
    uint32_t fence;             /* number of the fence that is under way or comes next */
    bool asked;                 /* it has been told to the controller */
    uint32_t piece;             /* of its answer, the one that comes next */
    bool is_told;               /* by the controller, once all tasks are past a fence */
    bool aborts;                /* the step is to end */
    bool stays, may_go;         /* behind its ranks; it need not stay */
    int64_t again_ms;           /* when what was said last is said again; INT64_MAX: never */
};

/* --- pairs --- */

static size_t pmi_find_pair(const struct pmi *p, const char *key, uint64_t *ret_slot)
{
    uint64_t h = hash_bytes(key, strlen(key));
    for (;; h++) {
        size_t at = (size_t)(uintptr_t)idmap_get(&p->by_key, h);
        *ret_slot = h;
        if (!at || str_eq(p->pairs.v[at - 1].key, key))
            return at;
    }
}

static const char *shim_pmi_get(const struct shim *s, const char *key)
{
    uint64_t slot;
    if (str_eq(key, "PMI_process_mapping"))
        return s->l.pmi_mapping;
    size_t at = pmi_find_pair(s->pmi, key, &slot);
    return at ? s->pmi->pairs.v[at - 1].value : NULL;
}

static size_t pmi_size_of(const char *key, const char *value)
{
    return strlen(key) + strlen(value) + 2 * (size_t)PMI_STRING;
}

/* False where the step has put more than it may. */
static bool pmi_put(struct pmi *p, const char *key, const char *value, uint32_t *ret_index)
{
    uint64_t slot;
    size_t at = pmi_find_pair(p, key, &slot), size = pmi_size_of(key, value);
    size_t old = at ? pmi_size_of(key, p->pairs.v[at - 1].value) : 0;
    if (p->bytes - old + size > PMI_PAIRS_MAX)
        return false;
    p->bytes += size - old;
    if (at) {
        free(p->pairs.v[at - 1].value);
        p->pairs.v[at - 1].value = xstrdup(value);
    } else {
        vec_push(&p->pairs, (struct pair){.key = xstrdup(key), .value = xstrdup(value)});
        at = p->pairs.n;
        idmap_set(&p->by_key, slot, (void *)(uintptr_t)at);
    }
    *ret_index = (uint32_t)(at - 1);
    return true;
}

/* As put, of a rank here: what other nodes are to know must fit into what goes there. */
static bool pmi_put_own(const struct shim *s, const char *key, const char *value)
{
    struct pmi *p = s->pmi;
    uint64_t slot;
    uint32_t index;
    size_t at = pmi_find_pair(p, key, &slot), size = pmi_size_of(key, value);
    const struct pair *old = at && p->pairs.v[at - 1].is_new ? &p->pairs.v[at - 1] : NULL;
    size_t part_bytes = p->part_bytes - (old ? pmi_size_of(old->key, old->value) : 0) + size;
    bool was_new = old;
    if ((s->l.pmi_tasks > 1 && part_bytes > PMI_PART_MAX) || !pmi_put(p, key, value, &index))
        return false;
    p->part_bytes = part_bytes;
    p->pairs.v[index].is_new = true;
    if (!was_new)
        vec_push(&p->part, index);
    return true;
}

static const char *pmi_get_attr(const struct pmi *p, const char *key)
{
    vec_for_each (&p->attrs, i)
        if (str_eq(p->attrs.v[i].key, key))
            return p->attrs.v[i].value;
    return NULL;
}

static bool pmi_put_attr(struct pmi *p, const char *key, const char *value)
{
    if (p->bytes + pmi_size_of(key, value) > PMI_PAIRS_MAX)
        return false;
    p->bytes += pmi_size_of(key, value);
    vec_push(&p->attrs, (struct pair){.key = xstrdup(key), .value = xstrdup(value)});
    return true;
}

/* --- answers --- */

static void pmi_close_rank(struct pmi_rank *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    r->wait = WAIT_NOTHING;
}

/* A rank waits for its answer and sends nothing before: a socket's buffer takes any. */
static void pmi_say(struct pmi_rank *r, const char *p, size_t n)
{
    if (r->fd >= 0 && send(r->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)n)
        pmi_close_rank(r);
}

static void pmi_reply_v1(struct pmi_rank *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void pmi_reply_v1(struct pmi_rank *r, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    str_append_char(&s, '\n');
    pmi_say(r, s.s, s.len);
    str_fini(&s);
}

static void pmi_reply_v2(struct pmi_rank *r, const char *cmd, const char *more, const char *value, int rc)
{
    struct str all = STR_INIT;
    shim_pmi_words_answer_v2(&all, cmd, r->thread, more, value, rc);
    pmi_say(r, all.s, all.len);
    str_fini(&all);
}

static void pmi_reply_found(struct pmi_rank *r, const char *cmd, const char *value)
{
    pmi_reply_v2(r, cmd, value ? "found=TRUE;" : "found=FALSE;", value, 0);
}

/* --- fences --- */

static void pmi_release_fence(struct shim *s)
{
    struct pmi *p = s->pmi;
    vec_for_each (&p->part, i)
        p->pairs.v[p->part.v[i]].is_new = false;
    vec_clear(&p->part);
    p->part_bytes = 0;
    vec_clear(&p->kept);
    vec_for_each (&p->answer, i)
        vec_push(&p->kept, p->answer.v[i]);
    vec_clear(&p->answer);
    p->fence++;
    p->asked = false;
    p->again_ms = p->aborts ? p->again_ms : INT64_MAX;
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct pmi_rank *r = &p->ranks[i];
        if (r->wait != WAIT_FENCE)
            continue;
        r->wait = WAIT_NOTHING;
        if (r->version == 1)
            pmi_reply_v1(r, "cmd=barrier_out rc=0");
        else
            pmi_reply_v2(r, "kvs-fence", "", NULL, 0);
    }
}

static void pmi_add_pair(struct msg_pmi *m, const struct pair *pair)
{
    strv_push(&m->pairs, pair->key);
    strv_push(&m->pairs, pair->value);
}

static void pmi_tell_fence(struct shim *s)
{
    struct pmi *p = s->pmi;
    struct msg_pmi m = {.key = s->l.key, .fence = p->fence, .keeps = true};
    vec_for_each (&p->part, i)
        pmi_add_pair(&m, &p->pairs.v[p->part.v[i]]);
    shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
    strv_fini(&m.pairs);
    p->asked = true;
    p->again_ms = mono_ms() + AGAIN_MS;
}

/* Over once every rank of the step is in it: one that has closed its socket never comes, and MPI says that
 * it must not do so before the end. */
static void pmi_check_fence(struct shim *s)
{
    struct pmi *p = s->pmi;
    for (size_t i = 0; i < s->n_ranks; i++)
        if (p->ranks[i].wait != WAIT_FENCE)
            return;
    if (s->l.pmi_tasks <= 1)
        pmi_release_fence(s);
    else if (!p->asked)
        pmi_tell_fence(s);
}

/* One piece of the kept answer. Values may have changed since: pieces go by the number of pairs. */
static void pmi_tell_kept(struct shim *s, uint32_t of, uint32_t from)
{
    struct pmi *p = s->pmi;
    if (of + 1 != p->fence || from > p->kept.n)
        return;
    struct msg_pmi m = {.key = s->l.key, .fence = PMI_KEPT, .of = of, .piece = from, .keeps = true};
    size_t size = 0, i = from;
    for (; i < p->kept.n && size < PMI_PIECE_MAX; i++) {
        const struct pair *pair = &p->pairs.v[p->kept.v[i]];
        size += pmi_size_of(pair->key, pair->value);
        pmi_add_pair(&m, pair);
    }
    m.more = i < p->kept.n;
    shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
    strv_fini(&m.pairs);
}

/* asks: whether all other tasks are past it, too. */
static void pmi_tell_past(struct shim *s, uint32_t of, bool asks)
{
    struct msg_pmi m = {.key = s->l.key, .fence = PMI_KEPT, .of = of, .piece = PMI_PAST, .more = asks};
    shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
}

static void pmi_take_past(struct shim *s, const struct msg_pmi *m)
{
    struct pmi *p = s->pmi;
    if (m->more && m->of < p->fence)
        pmi_tell_past(s, m->of, false);
    if (!m->more && m->of + 1 == p->fence)
        p->may_go = true;
}

static void pmi_tell_abort(struct shim *s)
{
    struct msg_pmi m = {.key = s->l.key, .fence = PMI_ABORT};
    shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
}

/* The other nodes' tasks, too. */
static void pmi_end_all(struct shim *s, const char *line)
{
    shim_files_note(s, line);
    if (s->l.pmi_tasks > 1) {
        s->pmi->aborts = true;
        s->pmi->again_ms = mono_ms() + AGAIN_MS;
        pmi_tell_abort(s);
    }
    shim_kill_terminate(s, (int64_t)s->l.kill_wait_s * 1000);
}

void shim_pmi_take(struct shim *s, const struct msg_pmi *m)
{
    struct pmi *p = s->pmi;
    if (p && m->fence == PMI_KEPT && m->piece == PMI_PAST)
        pmi_take_past(s, m);
    else if (p && m->fence == PMI_KEPT)
        pmi_tell_kept(s, m->of, m->piece);
    if (!p || p->aborts || !p->asked || m->fence != p->fence)
        return;
    if (m->piece == 0) {
        p->piece = 0;
        vec_clear(&p->answer);
    }
    if (m->piece != p->piece) /* some were lost with a connection: it is asked for again */
        return;
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2) {
        uint32_t index;
        if (!pmi_put(p, m->pairs.v[i], m->pairs.v[i + 1], &index)) {
            pmi_end_all(s, "slurmstepd: error: PMI: the ranks of the step have put more than 32 MiB");
            return;
        }
        vec_push(&p->answer, index);
    }
    p->piece++;
    p->is_told = m->keeps;
    if (!m->more)
        pmi_release_fence(s);
}

/* --- commands --- */

static void pmi_answer_waiting_attrs(struct shim *s)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct pmi_rank *r = &s->pmi->ranks[i];
        const char *value = r->wait == WAIT_ATTR ? pmi_get_attr(s->pmi, r->wanted) : NULL;
        if (!value)
            continue;
        r->wait = WAIT_NOTHING;
        pmi_reply_found(r, "info-getnodeattr", value);
    }
}

static void pmi_abort_step(struct shim *s, const struct pmi_rank *r, const char *why)
{
    size_t i = (size_t)(r - s->pmi->ranks);
    char *line = xasprintf("slurmstepd: error: *** STEP %u.%d ON %s CANCELLED: rank %u aborts%s%s ***",
                           s->l.key.job, s->l.key.step, s->setup.node ? s->setup.node : "?",
                           s->l.ranks.v[i].rank, str_is_empty(why) ? "" : ": ", why ? why : "");
    pmi_end_all(s, line);
    free(line);
}

static const char *pmi_job_attr(const struct shim *s, const char *key, char buf[static 16])
{
    if (str_eq(key, "universeSize")) {
        snprintf(buf, 16, "%u", s->l.pmi_size);
        return buf;
    }
    return str_eq(key, "PMI_process_mapping") ? s->l.pmi_mapping : shim_pmi_get(s, key);
}

static void pmi_do_fullinit(struct shim *s, struct pmi_rank *r)
{
    char more[160];
    snprintf(more, sizeof more,
             "pmi-version=2;pmi-subversion=0;rank=%u;size=%u;appnum=0;debugged=FALSE;pmiverbose=FALSE;",
             s->l.ranks.v[r - s->pmi->ranks].rank, s->l.pmi_size);
    pmi_reply_v2(r, "fullinit", more, NULL, 0);
}

static void pmi_do_v2(struct shim *s, struct pmi_rank *r, const struct pmi_words *w)
{
    struct pmi *p = s->pmi;
    const char *cmd = shim_pmi_words_value(w, "cmd"), *key = shim_pmi_words_value(w, "key"),
               *value = shim_pmi_words_value(w, "value");
    char buf[64];
    free(r->thread);
    r->thread = xstrdup(shim_pmi_words_value(w, "thrid"));
    if (str_eq(cmd, "fullinit")) {
        pmi_do_fullinit(s, r);
    } else if (str_eq(cmd, "job-getid")) {
        snprintf(buf, sizeof buf, "jobid=%u.%d;", s->l.key.job, s->l.key.step);
        pmi_reply_v2(r, cmd, buf, NULL, 0);
    } else if (str_eq(cmd, "kvs-put") && key && value) {
        pmi_reply_v2(r, cmd, "", NULL, pmi_put_own(s, key, value) ? 0 : 1);
    } else if (str_eq(cmd, "kvs-get") && key) {
        pmi_reply_found(r, cmd, shim_pmi_get(s, key));
    } else if (str_eq(cmd, "kvs-fence")) {
        r->wait = WAIT_FENCE;
        pmi_check_fence(s);
    } else if (str_eq(cmd, "info-putnodeattr") && key && value) {
        pmi_reply_v2(r, cmd, "", NULL, pmi_put_attr(p, key, value) ? 0 : 1);
        pmi_answer_waiting_attrs(s);
    } else if (str_eq(cmd, "info-getnodeattr") && key) {
        const char *wait = shim_pmi_words_value(w, "wait"), *found = pmi_get_attr(p, key);
        if (!found && wait && str_ieq(wait, "TRUE")) {
            r->wait = WAIT_ATTR;
            free(r->wanted);
            r->wanted = xstrdup(key);
        } else {
            pmi_reply_found(r, cmd, found);
        }
    } else if (str_eq(cmd, "info-getjobattr") && key) {
        char number[16];
        pmi_reply_found(r, cmd, pmi_job_attr(s, key, number));
    } else if (str_eq(cmd, "finalize")) {
        pmi_reply_v2(r, cmd, "", NULL, 0);
        pmi_close_rank(r);
    } else if (str_eq(cmd, "abort")) {
        pmi_abort_step(s, r, shim_pmi_words_value(w, "msg"));
    } else if (cmd && strlen(cmd) < 32) {
        pmi_reply_v2(r, cmd, "errmsg=not supported;", NULL, 1);
    } else {
        pmi_close_rank(r);
    }
}

static void pmi_do_v1(struct shim *s, struct pmi_rank *r, const struct pmi_words *w)
{
    const char *cmd = shim_pmi_words_value(w, "cmd"), *key = shim_pmi_words_value(w, "key"),
               *value = shim_pmi_words_value(w, "value");
    if (str_eq(cmd, "init")) {
        const char *version = shim_pmi_words_value(w, "pmi_version");
        r->version = str_eq(version, "2") ? 2 : 1;
        pmi_reply_v1(r, "cmd=response_to_init pmi_version=%d pmi_subversion=%d rc=0", r->version,
                     r->version == 1);
    } else if (str_eq(cmd, "get_maxes")) {
        pmi_reply_v1(r, "cmd=maxes kvsname_max=256 keylen_max=%d vallen_max=%d rc=0", NAME_MAX_1,
                     VALUE_MAX_1);
    } else if (str_eq(cmd, "get_appnum")) {
        pmi_reply_v1(r, "cmd=appnum appnum=0 rc=0");
    } else if (str_eq(cmd, "get_universe_size")) {
        pmi_reply_v1(r, "cmd=universe_size size=%u rc=0", s->l.pmi_size);
    } else if (str_eq(cmd, "get_my_kvsname")) {
        pmi_reply_v1(r, "cmd=my_kvsname kvsname=%u.%d rc=0", s->l.key.job, s->l.key.step);
    } else if (str_eq(cmd, "put") && key && value) {
        bool ok = pmi_put_own(s, key, value);
        pmi_reply_v1(r, "cmd=put_result rc=%d msg=%s", ok ? 0 : -1, ok ? "success" : "too_much");
    } else if (str_eq(cmd, "get") && key) {
        const char *found = shim_pmi_get(s, key);
        pmi_reply_v1(r, "cmd=get_result rc=%d msg=%s value=%s", found ? 0 : -1,
                     found ? "success" : "key_not_found", found ? found : "unknown");
    } else if (str_eq(cmd, "barrier_in")) {
        r->wait = WAIT_FENCE;
        pmi_check_fence(s);
    } else if (str_eq(cmd, "finalize")) {
        pmi_reply_v1(r, "cmd=finalize_ack rc=0");
        pmi_close_rank(r);
    } else if (str_eq(cmd, "abort")) {
        pmi_abort_step(s, r, shim_pmi_words_value(w, "error_msg"));
    } else {
        pmi_close_rank(r);
    }
}

/* --- the sockets --- */

/* Takes one message off the front. Returns false where none is whole yet. */
static bool pmi_take_message(struct shim *s, struct pmi_rank *r)
{
    struct pmi_words w = {0};
    size_t n = 0, head = 0;
    if (r->version == 2) {
        char length[7] = "";
        if (r->in.len < 6)
            return false;
        memcpy(length, r->in.s, 6);
        long want = strtol(length, NULL, 10);
        if (want <= 0 || want > MESSAGE_MAX) {
            pmi_close_rank(r);
            return false;
        }
        head = 6;
        n = (size_t)want;
        if (r->in.len < head + n)
            return false;
    } else {
        char *end = memchr(r->in.s, '\n', r->in.len);
        if (!end)
            return false;
        n = (size_t)(end - r->in.s);
    }
    char *text = xstrndup(r->in.s + head, n);
    size_t all = head + n + (r->version != 2);
    memmove(r->in.s, r->in.s + all, r->in.len - all);
    str_truncate(&r->in, r->in.len - all);
    if (r->version == 2) {
        shim_pmi_words_split_v2(text, &w);
        pmi_do_v2(s, r, &w);
    } else {
        shim_pmi_words_split_v1(text, &w);
        pmi_do_v1(s, r, &w);
    }
    strv_fini(&w.v);
    free(text);
    return r->fd >= 0;
}

void shim_pmi_read(struct shim *s, size_t rank)
{
    struct pmi_rank *r = &s->pmi->ranks[rank];
    char buf[8192];
    ssize_t n = recv(r->fd, buf, sizeof buf, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || r->in.len + (size_t)n > MESSAGE_MAX + sizeof buf) {
        pmi_close_rank(r);
        return;
    }
    str_append_n(&r->in, buf, (size_t)n);
    while (pmi_take_message(s, r))
        ;
}

int shim_pmi_fd(const struct shim *s, size_t rank)
{
    return s->pmi ? s->pmi->ranks[rank].fd : -1;
}

int64_t shim_pmi_next_ms(const struct shim *s)
{
    return s->pmi ? s->pmi->again_ms : INT64_MAX;
}

void shim_pmi_look(struct shim *s)
{
    struct pmi *p = s->pmi;
    if (!p || mono_ms() < p->again_ms)
        return;
    p->again_ms = mono_ms() + AGAIN_MS;
    if (p->aborts && !p->may_go)
        pmi_tell_abort(s);
    else if (p->stays)
        pmi_tell_past(s, p->fence - 1, true);
    else if (p->asked)
        pmi_tell_fence(s);
}

/* A task that has failed does not wait with its end for the others. */
static bool pmi_is_needed(const struct shim *s)
{
    if (s->l.pmi_tasks <= 1 || !s->pmi->fence || !s->pmi->is_told || s->was_killed || s->oom)
        return false;
    for (size_t i = 0; i < s->n_ranks; i++)
        if (s->ranks[i].end.code || s->ranks[i].end.signal)
            return false;
    return true;
}

bool shim_pmi_stays(struct shim *s)
{
    struct pmi *p = s->pmi;
    if (!p || p->may_go || s->lease_over || (!p->aborts && !pmi_is_needed(s)))
        return false;
    if (!p->stays) {
        p->stays = true;
        p->again_ms = p->aborts ? p->again_ms : 0;
        shim_pmi_look(s);
    }
    return true;
}

void shim_pmi_let_go(struct shim *s)
{
    if (s->pmi)
        s->pmi->may_go = true;
}

void shim_pmi_start(struct shim *s)
{
    if (!s->l.pmi)
        return;
    s->pmi = xcalloc(1, sizeof *s->pmi);
    s->pmi->ranks = xcalloc(s->n_ranks, sizeof *s->pmi->ranks);
    s->pmi->again_ms = INT64_MAX;
    for (size_t i = 0; i < s->n_ranks; i++)
        s->pmi->ranks[i] = (struct pmi_rank){.fd = -1, .in = STR_INIT};
}

int shim_pmi_socket(struct shim *s, size_t rank, int *ret_theirs)
{
    int sv[2];
    *ret_theirs = -1;
    if (!s->pmi)
        return 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    s->pmi->ranks[rank].fd = sv[0];
    *ret_theirs = sv[1];
    return 0;
}
