/* Source: the PMI-2 API and wire protocol as MPICH's simple client speaks it: six bytes of length, then
 * "key=value;" with ';' doubled in values. PMI-1: lines "key=value key=value".
 */
#include "backend/pmi/pmi_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/pmi/pmi_pairs.h"
#include "backend/pmi/pmi_words.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg_node.h"

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

struct pmi_ranks {
    const struct pmi_setup *setup;
    int shim_fd;
    size_t n_ranks;
    struct pmi_rank *ranks;
    struct pmi_pairs store;
    VEC(uint32_t) answer, kept; /* indices of pairs: the answer so far; the whole one of the fence before */
    uint32_t fence;             /* number of the fence that is under way or comes next */
    bool asked;                 /* it has been told to the controller */
    uint32_t piece;             /* of its answer, the one that comes next */
    bool is_told;               /* by the controller, once all tasks are past a fence */
    bool ends;                  /* the step is to end */
    bool stays, may_go;         /* behind its ranks; no task needs it */
    int64_t again_ms;           /* when what was said last is said again; INT64_MAX: never */
};

static const char *pmi_ranks_get(const struct pmi_ranks *p, const char *key)
{
    if (str_eq(key, "PMI_process_mapping"))
        return p->setup->mapping;
    return pmi_pairs_get(&p->store, key);
}

/* --- to the shim --- */

/* Waits until it has left: the shim always reads. One that is gone ends the loop. */
static void pmi_ranks_send(const struct pmi_ranks *p, const struct str *out)
{
    for (size_t at = 0; at < out->len;) {
        ssize_t n = send(p->shim_fd, out->s + at, out->len - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

static void pmi_send_fence(const struct pmi_ranks *p, const struct msg_pmi *m)
{
    struct str out = STR_INIT;
    msg_append_as(&out, &msg_pmi_rec, MSG_PMI_FENCE, 0, m);
    pmi_ranks_send(p, &out);
    str_fini(&out);
}

static void pmi_tell_shim(const struct pmi_ranks *p)
{
    struct str out = STR_INIT;
    uint64_t bits = (p->fence && p->is_told ? PMI_IS_KEEPER : 0) | (p->may_go ? PMI_ALL_PAST : 0);
    frame_append_header(&out, PMI_TELL, 0, bits, 0);
    pmi_ranks_send(p, &out);
    str_fini(&out);
}

/* The whole step, on all nodes. */
static void pmi_ranks_end_all(struct pmi_ranks *p, const char *line)
{
    struct str out = STR_INIT;
    size_t n = strnlen(line, PMI_LINE_MAX);
    frame_append_header(&out, PMI_END, 0, 0, n);
    str_append_n(&out, line, n);
    pmi_ranks_send(p, &out);
    str_fini(&out);
    p->ends = true;
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
    pmi_words_answer_v2(&all, cmd, r->thread, more, value, rc);
    pmi_say(r, all.s, all.len);
    str_fini(&all);
}

static void pmi_reply_found(struct pmi_rank *r, const char *cmd, const char *value)
{
    pmi_reply_v2(r, cmd, value ? "found=TRUE;" : "found=FALSE;", value, 0);
}

/* --- fences --- */

static void pmi_release_fence(struct pmi_ranks *p)
{
    pmi_pairs_clear_part(&p->store);
    vec_clear(&p->kept);
    vec_for_each (&p->answer, i)
        vec_push(&p->kept, p->answer.v[i]);
    vec_clear(&p->answer);
    p->fence++;
    p->asked = false;
    p->again_ms = INT64_MAX;
    if (p->setup->tasks > 1)
        pmi_tell_shim(p); /* before a rank knows, which may end at once */
    for (size_t i = 0; i < p->n_ranks; i++) {
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

static void pmi_add_pair(struct msg_pmi *m, const struct pmi_pair *pair)
{
    strv_push(&m->pairs, pair->key);
    strv_push(&m->pairs, pair->value);
}

static void pmi_tell_fence(struct pmi_ranks *p)
{
    struct msg_pmi m = {.key = p->setup->key, .fence = p->fence, .keeps = true};
    vec_for_each (&p->store.part, i)
        pmi_add_pair(&m, &p->store.pairs.v[p->store.part.v[i]]);
    pmi_send_fence(p, &m);
    strv_fini(&m.pairs);
    p->asked = true;
    p->again_ms = mono_ms() + AGAIN_MS;
}

/* Over once every rank of the step is in it: one that has closed its socket never comes, and MPI says that
 * it must not do so before the end. */
static void pmi_check_fence(struct pmi_ranks *p)
{
    for (size_t i = 0; i < p->n_ranks; i++)
        if (p->ranks[i].wait != WAIT_FENCE)
            return;
    if (p->setup->tasks <= 1)
        pmi_release_fence(p);
    else if (!p->asked)
        pmi_tell_fence(p);
}

/* One piece of the kept answer. Values may have changed since: pieces go by the number of pairs. */
static void pmi_tell_kept(struct pmi_ranks *p, uint32_t of, uint32_t from)
{
    if (of + 1 != p->fence || from > p->kept.n)
        return;
    struct msg_pmi m = {.key = p->setup->key, .fence = PMI_KEPT, .of = of, .piece = from, .keeps = true};
    size_t size = 0, i = from;
    for (; i < p->kept.n && size < PMI_PIECE_MAX; i++) {
        const struct pmi_pair *pair = &p->store.pairs.v[p->kept.v[i]];
        size += pmi_pairs_size(pair);
        pmi_add_pair(&m, pair);
    }
    m.more = i < p->kept.n;
    pmi_send_fence(p, &m);
    strv_fini(&m.pairs);
}

/* asks: whether all other tasks are past it, too. */
static void pmi_tell_past(const struct pmi_ranks *p, uint32_t of, bool asks)
{
    struct msg_pmi m = {.key = p->setup->key, .fence = PMI_KEPT, .of = of, .piece = PMI_PAST, .more = asks};
    pmi_send_fence(p, &m);
}

static void pmi_take_past(struct pmi_ranks *p, const struct msg_pmi *m)
{
    if (m->more && m->of < p->fence)
        pmi_tell_past(p, m->of, false);
    if (!m->more && m->of + 1 == p->fence) {
        p->may_go = true;
        pmi_tell_shim(p);
    }
}

void pmi_ranks_take(struct pmi_ranks *p, const struct msg_pmi *m)
{
    if (m->fence == PMI_KEPT && m->piece == PMI_PAST)
        pmi_take_past(p, m);
    else if (m->fence == PMI_KEPT)
        pmi_tell_kept(p, m->of, m->piece);
    if (p->ends || !p->asked || m->fence != p->fence)
        return;
    if (m->piece == 0) {
        p->piece = 0;
        vec_clear(&p->answer);
    }
    if (m->piece != p->piece) /* some were lost with a connection: it is asked for again */
        return;
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2) {
        uint32_t index;
        if (!pmi_pairs_put(&p->store, m->pairs.v[i], m->pairs.v[i + 1], &index)) {
            pmi_ranks_end_all(p, "slurmstepd: error: PMI: the ranks of the step have put more than 32 MiB");
            return;
        }
        vec_push(&p->answer, index);
    }
    p->piece++;
    p->is_told = m->keeps;
    if (!m->more)
        pmi_release_fence(p);
}

/* --- commands --- */

static void pmi_answer_waiting_attrs(struct pmi_ranks *p)
{
    for (size_t i = 0; i < p->n_ranks; i++) {
        struct pmi_rank *r = &p->ranks[i];
        const char *value = r->wait == WAIT_ATTR ? pmi_pairs_get_attr(&p->store, r->wanted) : NULL;
        if (!value)
            continue;
        r->wait = WAIT_NOTHING;
        pmi_reply_found(r, "info-getnodeattr", value);
    }
}

static void pmi_abort_step(struct pmi_ranks *p, const struct pmi_rank *r, const char *why)
{
    const struct launch_key *key = &p->setup->key;
    char *line =
        xasprintf("slurmstepd: error: *** STEP %u.%d ON %s CANCELLED: rank %u aborts%s%s ***", key->job,
                  key->step, p->setup->node ? p->setup->node : "?", p->setup->ranks.v[r - p->ranks].rank,
                  str_is_empty(why) ? "" : ": ", why ? why : "");
    pmi_ranks_end_all(p, line);
    free(line);
}

static const char *pmi_job_attr(const struct pmi_ranks *p, const char *key, char buf[static 16])
{
    if (str_eq(key, "universeSize")) {
        snprintf(buf, 16, "%u", p->setup->size);
        return buf;
    }
    return str_eq(key, "PMI_process_mapping") ? p->setup->mapping : pmi_ranks_get(p, key);
}

static void pmi_do_fullinit(struct pmi_ranks *p, struct pmi_rank *r)
{
    char more[160];
    snprintf(more, sizeof more,
             "pmi-version=2;pmi-subversion=0;rank=%u;size=%u;appnum=0;debugged=FALSE;pmiverbose=FALSE;",
             p->setup->ranks.v[r - p->ranks].rank, p->setup->size);
    pmi_reply_v2(r, "fullinit", more, NULL, 0);
}

static void pmi_do_v2(struct pmi_ranks *p, struct pmi_rank *r, const struct pmi_words *w)
{
    const char *cmd = pmi_words_value(w, "cmd"), *key = pmi_words_value(w, "key"),
               *value = pmi_words_value(w, "value");
    char buf[64];
    free(r->thread);
    r->thread = xstrdup(pmi_words_value(w, "thrid"));
    if (str_eq(cmd, "fullinit")) {
        pmi_do_fullinit(p, r);
    } else if (str_eq(cmd, "job-getid")) {
        snprintf(buf, sizeof buf, "jobid=%u.%d;", p->setup->key.job, p->setup->key.step);
        pmi_reply_v2(r, cmd, buf, NULL, 0);
    } else if (str_eq(cmd, "kvs-put") && key && value) {
        pmi_reply_v2(r, cmd, "", NULL,
                     pmi_pairs_put_own(&p->store, key, value, p->setup->tasks > 1) ? 0 : 1);
    } else if (str_eq(cmd, "kvs-get") && key) {
        pmi_reply_found(r, cmd, pmi_ranks_get(p, key));
    } else if (str_eq(cmd, "kvs-fence")) {
        r->wait = WAIT_FENCE;
        pmi_check_fence(p);
    } else if (str_eq(cmd, "info-putnodeattr") && key && value) {
        pmi_reply_v2(r, cmd, "", NULL, pmi_pairs_put_attr(&p->store, key, value) ? 0 : 1);
        pmi_answer_waiting_attrs(p);
    } else if (str_eq(cmd, "info-getnodeattr") && key) {
        const char *wait = pmi_words_value(w, "wait"), *found = pmi_pairs_get_attr(&p->store, key);
        if (!found && wait && str_ieq(wait, "TRUE")) {
            r->wait = WAIT_ATTR;
            free(r->wanted);
            r->wanted = xstrdup(key);
        } else {
            pmi_reply_found(r, cmd, found);
        }
    } else if (str_eq(cmd, "info-getjobattr") && key) {
        char number[16];
        pmi_reply_found(r, cmd, pmi_job_attr(p, key, number));
    } else if (str_eq(cmd, "finalize")) {
        pmi_reply_v2(r, cmd, "", NULL, 0);
        pmi_close_rank(r);
    } else if (str_eq(cmd, "abort")) {
        pmi_abort_step(p, r, pmi_words_value(w, "msg"));
    } else if (cmd && strlen(cmd) < 32) {
        pmi_reply_v2(r, cmd, "errmsg=not supported;", NULL, 1);
    } else {
        pmi_close_rank(r);
    }
}

static void pmi_do_v1(struct pmi_ranks *p, struct pmi_rank *r, const struct pmi_words *w)
{
    const char *cmd = pmi_words_value(w, "cmd"), *key = pmi_words_value(w, "key"),
               *value = pmi_words_value(w, "value");
    if (str_eq(cmd, "init")) {
        const char *version = pmi_words_value(w, "pmi_version");
        r->version = str_eq(version, "2") ? 2 : 1;
        pmi_reply_v1(r, "cmd=response_to_init pmi_version=%d pmi_subversion=%d rc=0", r->version,
                     r->version == 1);
    } else if (str_eq(cmd, "get_maxes")) {
        pmi_reply_v1(r, "cmd=maxes kvsname_max=256 keylen_max=%d vallen_max=%d rc=0", NAME_MAX_1,
                     VALUE_MAX_1);
    } else if (str_eq(cmd, "get_appnum")) {
        pmi_reply_v1(r, "cmd=appnum appnum=0 rc=0");
    } else if (str_eq(cmd, "get_universe_size")) {
        pmi_reply_v1(r, "cmd=universe_size size=%u rc=0", p->setup->size);
    } else if (str_eq(cmd, "get_my_kvsname")) {
        pmi_reply_v1(r, "cmd=my_kvsname kvsname=%u.%d rc=0", p->setup->key.job, p->setup->key.step);
    } else if (str_eq(cmd, "put") && key && value) {
        bool ok = pmi_pairs_put_own(&p->store, key, value, p->setup->tasks > 1);
        pmi_reply_v1(r, "cmd=put_result rc=%d msg=%s", ok ? 0 : -1, ok ? "success" : "too_much");
    } else if (str_eq(cmd, "get") && key) {
        const char *found = pmi_ranks_get(p, key);
        pmi_reply_v1(r, "cmd=get_result rc=%d msg=%s value=%s", found ? 0 : -1,
                     found ? "success" : "key_not_found", found ? found : "unknown");
    } else if (str_eq(cmd, "barrier_in")) {
        r->wait = WAIT_FENCE;
        pmi_check_fence(p);
    } else if (str_eq(cmd, "finalize")) {
        pmi_reply_v1(r, "cmd=finalize_ack rc=0");
        pmi_close_rank(r);
    } else if (str_eq(cmd, "abort")) {
        pmi_abort_step(p, r, pmi_words_value(w, "error_msg"));
    } else {
        pmi_close_rank(r);
    }
}

/* --- the sockets --- */

/* Takes one message off the front. Returns false where none is whole yet. */
static bool pmi_take_message(struct pmi_ranks *p, struct pmi_rank *r)
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
        pmi_words_split_v2(text, &w);
        pmi_do_v2(p, r, &w);
    } else {
        pmi_words_split_v1(text, &w);
        pmi_do_v1(p, r, &w);
    }
    strv_fini(&w.v);
    free(text);
    return r->fd >= 0;
}

void pmi_ranks_read(struct pmi_ranks *p, size_t rank)
{
    struct pmi_rank *r = &p->ranks[rank];
    char buf[8192];
    ssize_t n = recv(r->fd, buf, sizeof buf, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || r->in.len + (size_t)n > MESSAGE_MAX + sizeof buf) {
        pmi_close_rank(r);
        return;
    }
    str_append_n(&r->in, buf, (size_t)n);
    while (pmi_take_message(p, r))
        ;
}

int pmi_ranks_fd(const struct pmi_ranks *p, size_t rank)
{
    return p->ranks[rank].fd;
}

int64_t pmi_ranks_next_ms(const struct pmi_ranks *p)
{
    return p->again_ms;
}

void pmi_ranks_look(struct pmi_ranks *p)
{
    if (mono_ms() < p->again_ms)
        return;
    p->again_ms = p->may_go || p->ends ? INT64_MAX : mono_ms() + AGAIN_MS;
    if (p->may_go || p->ends)
        return;
    if (p->stays)
        pmi_tell_past(p, p->fence - 1, true);
    else if (p->asked)
        pmi_tell_fence(p);
}

void pmi_ranks_ask_past(struct pmi_ranks *p)
{
    if (p->stays || !p->fence)
        return;
    p->stays = true;
    p->again_ms = 0;
    pmi_ranks_look(p);
}

struct pmi_ranks *pmi_ranks_new(const struct pmi_setup *setup, int shim_fd)
{
    struct pmi_ranks *p = xcalloc(1, sizeof *p);
    p->setup = setup;
    p->shim_fd = shim_fd;
    p->n_ranks = setup->ranks.n;
    p->ranks = xcalloc(p->n_ranks, sizeof *p->ranks);
    p->again_ms = INT64_MAX;
    for (size_t i = 0; i < p->n_ranks; i++)
        p->ranks[i] = (struct pmi_rank){.fd = setup->ranks.v[i].fd, .in = STR_INIT};
    return p;
}
