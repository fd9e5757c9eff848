/* outfile.c - outputs that lie in files of this machine, for whoever cannot open them where he is.
 *
 *     controller --OUTPUT_READ with path and user--> agent --> stoker-agent --read-file
 *                                                             (one for each file and user)
 *
 * The agent opens no path of a user's: a process that has become the user does, and answers are handed on
 * as they come.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "backend/agent/file_reader.h"
#include "backend/agent/user_lookup.h"
#include "src/base/exe_path.h"
#include "src/base/log.h"
#include "src/base/spawn.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define READERS_MAX  64
#define USER_READERS 48   /* of them, for one user of a machine that has several */
#define WAIT_MAX_MS  2000 /* then the question comes again, and the task may have ended */
#define PIECE_MAX    (1u << 20)

struct outfile {
    struct agent *a;
    struct list link;
    struct wire wire;
    pid_t pid; /* reaped with the agent's other children */
    uint32_t uid;
    char *path;
    VEC(uint64_t) open; /* tags of questions */
};

static void refuse(struct agent *a, uint64_t tag, uint64_t offset, const char *text)
{
    struct msg_output_data d = {.offset = offset, .eof = true, .error = xstrdup(text)};
    agent_send(a, MSG_OUTPUT_DATA, tag, &d);
    free(d.error);
}

static void forget(struct outfile *o)
{
    list_unlink(&o->link);
    vec_fini(&o->open);
    free(o->path);
    free(o);
}

static int on_frame(void *ctx, const struct frame *f)
{
    struct outfile *o = ctx;
    if (f->type != MSG_OUTPUT_DATA)
        return -EPROTO;
    for (size_t i = 0; i < o->open.n; i++)
        if (o->open.v[i] == f->tag) {
            vec_remove(&o->open, i);
            if (o->a->controller)
                wire_send_encoded(&o->a->controller->wire, MSG_OUTPUT_DATA, f->tag, f->body, f->size);
            break;
        }
    return 0;
}

static void on_close(void *ctx, const char *why)
{
    struct outfile *o = ctx;
    if (o->open.n)
        log_warn("the reader of a file has ended: %s", why);
    for (size_t i = 0; i < o->open.n; i++)
        refuse(o->a, o->open.v[i], 0, "the process that reads it has ended");
    forget(o);
}

static const struct wire_ops outfile_ops = {.on_frame = on_frame, .on_close = on_close};

static int start(pid_t *ret_pid)
{
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    char *program = self_path(), name[] = "stoker-agent", option[] = FILEREADER_OPTION, lang[] = "LC_ALL=C";
    char *argv[] = {name, option, NULL}, *env[] = {lang, NULL};
    int r = spawn_program(
        &(struct spawn){.path = program, .argv = argv, .env = env, .fds = {{sv[1], 0}}, .n_fds = 1},
        ret_pid);
    free(program);
    close(sv[1]);
    if (r == 0)
        return sv[0];
    close(sv[0]);
    return r;
}

static struct outfile *find(struct agent *a, const struct msg_output_read *m)
{
    unsigned n = 0, his = 0;
    list_for_each (o, &a->outfiles, struct outfile, link) {
        n++;
        his += o->uid == m->uid;
        if (o->uid == m->uid && str_eq(o->path, m->path))
            return o;
    }
    pid_t pid;
    int fd = n < READERS_MAX && (his < USER_READERS || !a->root) ? start(&pid) : -EBUSY;
    if (fd < 0)
        return NULL;
    struct outfile *o = xcalloc(1, sizeof *o);
    *o = (struct outfile){.a = a, .pid = pid, .uid = m->uid, .path = xstrdup(m->path), .open = VEC_INIT};
    list_init(&o->link);
    list_append(&a->outfiles, &o->link);
    wire_open(&o->wire, a->loop, &a->dirty, fd, PIECE_MAX, &outfile_ops, o);
    return o;
}

/* Whose files may be read here is what may run here. */
static int check(struct agent *a, const struct msg_output_read *m, struct errtext *err)
{
    const struct blob *groups = NULL;
    struct launch l = {.uid = m->uid, .gid = m->gid, .user = m->user, .workdir = m->path};
    if (!a->root)
        return m->uid == geteuid() ? 0 : err_set(err, -EPERM, "the agent of this node is another user's");
    int r = users_groups(m->uid, m->gid, m->user, &groups, err);
    return r < 0 ? r : policy_check(&a->policy, &l, 0, groups, err);
}

void outfile_read(struct agent *a, uint64_t tag, struct msg_output_read *m)
{
    struct errtext err = {""};
    if (m->path[0] != '/' || check(a, m, &err) < 0) {
        refuse(a, tag, m->offset, *err.s ? err.s : "its path is not absolute");
        return;
    }
    struct outfile *o = find(a, m);
    if (!o) {
        refuse(a, tag, m->offset, "too many files of this node are being read");
        return;
    }
    struct atask *t = tasks_find_latest(a, &m->key);
    m->ended = !t || t->end;
    m->wait_ms = m->wait_ms < WAIT_MAX_MS ? m->wait_ms : WAIT_MAX_MS;
    vec_push(&o->open, tag);
    wire_send(&o->wire, MSG_OUTPUT_READ, tag, &msg_output_read_rec, m);
}

bool outfile_is_child(const struct agent *a, pid_t pid)
{
    list_for_each (o, &a->outfiles, struct outfile, link)
        if (o->pid == pid)
            return true;
    return false;
}

void outfile_fini(struct agent *a)
{
    while (!list_empty(&a->outfiles)) {
        struct outfile *o = list_first(&a->outfiles, struct outfile, link);
        wire_close(&o->wire);
        forget(o);
    }
}
