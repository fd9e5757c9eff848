#include "backend/agent/spool/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/task_table.h"
#include "backend/node/user_lookup.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/os/log.h"

#define READERS_MAX  64
#define USER_READERS 48   /* of them, for one user of a machine that has several */
#define WAIT_MAX_MS  2000 /* then the question comes again, and the task may have ended */
#define PIECE_MAX    (1u << 20)

struct outfiles {
    struct agent *a;
    struct list all;
};

struct outfile {
    struct outfiles *of;
    struct list in_all;
    struct wire wire;
    uint32_t uid;
    char *path;
    VEC(uint64_t) open; /* tags of questions */
};

static void outfile_refuse(struct agent *a, uint64_t tag, uint64_t offset, const char *text)
{
    struct msg_output_data d = {.offset = offset, .eof = true, .error = xstrdup(text)};
    uplink_send(&a->uplink, MSG_OUTPUT_DATA, tag, &d);
    free(d.error);
}

static void outfile_forget(struct outfile *o)
{
    list_unlink(&o->in_all);
    vec_fini(&o->open);
    free(o->path);
    free(o);
}

static int outfile_on_frame(void *ctx, const struct frame *f)
{
    struct outfile *o = ctx;
    if (f->type != MSG_OUTPUT_DATA)
        return -EPROTO;
    for (size_t i = 0; i < o->open.n; i++)
        if (o->open.v[i] == f->tag) {
            vec_remove(&o->open, i);
            uplink_send_encoded(&o->of->a->uplink, MSG_OUTPUT_DATA, f->tag, f->body, f->size);
            break;
        }
    return 0;
}

static void outfile_on_close(void *ctx, const char *why)
{
    struct outfile *o = ctx;
    struct agent *a = o->of->a;
    if (o->open.n && peer_log_may(&a->peer_log, a->loop))
        log_warn("the reader of a file has ended: %s", why);
    for (size_t i = 0; i < o->open.n; i++)
        outfile_refuse(o->of->a, o->open.v[i], 0, "the process that reads it has ended");
    outfile_forget(o);
}

static const struct wire_ops outfile_ops = {.on_frame = outfile_on_frame, .on_close = outfile_on_close};

static int outfile_start(struct agent *a, const struct msg_output_read *m)
{
    struct rights_request q = {.kind = RIGHTS_READ, .uid = m->uid, .gid = m->gid};
    struct rights_answer ans;
    snprintf(q.user, sizeof q.user, "%s", m->user ? m->user : "");
    snprintf(q.path, sizeof q.path, "%s", m->path);
    int r = rights_ask(a->rights, &q, &ans);
    return r < 0 ? r : ans.fd;
}

static struct outfile *outfile_find(struct outfiles *of, const struct msg_output_read *m)
{
    struct agent *a = of->a;
    unsigned n = 0, n_of_user = 0;
    list_for_each (o, &of->all, struct outfile, in_all) {
        n++;
        n_of_user += o->uid == m->uid;
        if (o->uid == m->uid && str_eq(o->path, m->path))
            return o;
    }
    int fd = n < READERS_MAX && (n_of_user < USER_READERS || !a->root) ? outfile_start(a, m) : -EBUSY;
    if (fd < 0)
        return NULL;
    struct outfile *o = xcalloc(1, sizeof *o);
    *o = (struct outfile){.of = of, .uid = m->uid, .path = xstrdup(m->path), .open = VEC_INIT};
    list_init(&o->in_all);
    list_append(&of->all, &o->in_all);
    wire_open(&o->wire, a->loop, &a->dirty, fd, PIECE_MAX, &outfile_ops, o);
    return o;
}

/* Whose files may be read here is what may run here. */
static int outfile_check(struct agent *a, const struct msg_output_read *m, struct errtext *err)
{
    const struct blob *groups = NULL;
    struct launch l = {.uid = m->uid, .gid = m->gid, .user = m->user, .workdir = m->path};
    if (!a->root)
        return m->uid == geteuid() ? 0 : err_set(err, -EPERM, "the agent of this node is another user's");
    int r = user_lookup_groups(m->uid, m->gid, m->user, &groups, err);
    return r < 0 ? r : node_policy_check(&a->policy, &l, 0, groups, err);
}

void outfile_read(struct outfiles *of, uint64_t tag, struct msg_output_read *m)
{
    struct agent *a = of->a;
    struct errtext err = {""};
    if (m->path[0] != '/' || outfile_check(a, m, &err) < 0) {
        outfile_refuse(a, tag, m->offset, *err.s ? err.s : "its path is not absolute");
        return;
    }
    if (a->facts.spec.private_tmp_mib &&
        (dirs_is_below(m->path, "/tmp") || dirs_is_below(m->path, "/dev/shm"))) {
        outfile_refuse(a, tag, m->offset,
                       "it lies in the job's own /tmp or /dev/shm, which the job alone sees");
        return;
    }
    struct outfile *o = outfile_find(of, m);
    if (!o) {
        outfile_refuse(a, tag, m->offset, "too many files of this node are being read");
        return;
    }
    struct atask *t = task_table_find_latest(a->tasks, &m->key);
    m->ended = !t || t->end;
    m->wait_ms = m->wait_ms < WAIT_MAX_MS ? m->wait_ms : WAIT_MAX_MS;
    vec_push(&o->open, tag);
    wire_send(&o->wire, MSG_OUTPUT_READ, tag, &msg_output_read_rec, m);
}

struct outfiles *outfiles_new(struct agent *a)
{
    struct outfiles *of = xcalloc(1, sizeof *of);
    of->a = a;
    list_init(&of->all);
    return of;
}

void outfiles_free(struct outfiles *of)
{
    while (of && !list_empty(&of->all)) {
        struct outfile *o = list_first(&of->all, struct outfile, in_all);
        wire_close(&o->wire);
        outfile_forget(o);
    }
    free(of);
}
