#include "backend/slurm/slurm_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/slurm/live/slurm_attach.h"
#include "src/base/xalloc.h"
#include "src/jobenv/filename.h"

#define OUTPUT_READ_MAX (256u << 10)
#define WAIT_MAX_MS     60000u
#define LOOK_MS         500 /* a file on a network file system tells nothing by itself */
#define READS_MAX       64u /* of a session that wait */

struct slurm_read {
    struct list link;
    struct slurm_session *session;
    uint64_t tag;
    struct msg_output_read m;
    int64_t left_ms;
    struct loop_timer timer;
};

static void slurm_read_free(struct slurm_read *r)
{
    loop_timer_cancel(r->session->hub->loop, &r->timer);
    list_unlink(&r->link);
    r->session->n_reads--;
    free(r);
}

void slurm_output_drop(struct slurm_session *s)
{
    list_for_each (r, &s->reads, struct slurm_read, link)
        slurm_read_free(r);
}

static void slurm_output_refuse(struct slurm_session *s, uint64_t tag, int code)
{
    slurm_session_refuse(s, tag, REFUSAL_NOT_RUNNING, strerror(-code));
}

/* A FIFO or a device must not be waited for. Root does not open what a user has named. */
static int slurm_output_open(const struct job *j, bool err)
{
    char *path = err ? job_stderr_path(j) : job_stdout_path(j);
    struct stat st;
    int fd = !path || (geteuid() == 0 && j->uid != 0)
                 ? -EACCES
                 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd == -1)
        fd = -errno;
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -EINVAL;
    }
    free(path);
    return fd;
}

/* "12.0", "6_5.0", as Slurm's commands take it. */
static char *slurm_output_step(const struct job *j, int32_t step)
{
    bool element = j->array_job && j->array_job != j->id && j->array_index != ARRAY_NONE;
    return element ? xasprintf("%u_%u.%d", j->array_job, j->array_index, step)
                   : xasprintf("%u.%d", j->id, step);
}

/* The output of a step goes to its srun, or to a file that is not known here. */
static bool slurm_output_attach(struct slurm_session *s, uint64_t tag, const struct job *j,
                                const struct msg_output_read *m, bool waits)
{
    struct msg_output_data d = {0};
    struct errtext err = {""};
    char *name = slurm_output_step(j, m->key.step);
    int r = slurm_attach_read(s->attaches, name, m, &d, &err);
    free(name);
    if ((r == -EAGAIN && waits) || (r == -EINPROGRESS && s->n_reads < READS_MAX))
        return false;
    if (r < 0 && r != -EAGAIN && r != -EINPROGRESS)
        slurm_session_refuse(s, tag, REFUSAL_NOT_RUNNING, err.s);
    else
        slurm_session_send(s, MSG_OUTPUT_DATA, tag, &d);
    return true;
}

/* Answers, unless it may wait and there is nothing new. Returns whether it has. */
static bool slurm_output_answer(struct slurm_session *s, uint64_t tag, const struct msg_output_read *m,
                                bool waits)
{
    const struct job *j = model_get_job(slurm_mirror_model(s->mirror), m->key.job);
    struct stat st;
    if (!j) {
        slurm_session_refuse(s, tag, REFUSAL_NO_JOB, refusal_slurm(REFUSAL_NO_JOB));
        return true;
    }
    if (m->key.step >= 0)
        return slurm_output_attach(s, tag, j, m, waits);
    int fd = slurm_output_open(j, m->stream == 2);
    if (fd < 0 || fstat(fd, &st) < 0) {
        slurm_output_refuse(s, tag, fd < 0 ? fd : -EIO);
        return true;
    }
    bool over = job_state_is_final((enum job_state)j->state);
    uint64_t size = (uint64_t)st.st_size, from = m->offset > size ? 0 : m->offset; /* it was cut */
    if (waits && from == size && !over) {
        close(fd);
        return false;
    }
    size_t max = m->max && m->max < OUTPUT_READ_MAX ? m->max : OUTPUT_READ_MAX;
    max = size - from < max ? (size_t)(size - from) : max;
    struct msg_output_data d = {.offset = from, .size = size};
    d.data.p = xmalloc(max ? max : 1);
    ssize_t n = pread(fd, d.data.p, max, (off_t)from);
    close(fd);
    if (n < 0) {
        slurm_output_refuse(s, tag, -errno);
    } else {
        d.data.n = (size_t)n;
        d.eof = over && from + (uint64_t)n >= size;
        slurm_session_send(s, MSG_OUTPUT_DATA, tag, &d);
    }
    free(d.data.p);
    return true;
}

static void slurm_read_look(void *ctx)
{
    struct slurm_read *r = ctx;
    r->left_ms -= LOOK_MS;
    if (slurm_output_answer(r->session, r->tag, &r->m, r->left_ms > 0))
        slurm_read_free(r);
    else
        loop_timer_set(r->session->hub->loop, &r->timer, LOOK_MS);
}

void slurm_output_more(struct slurm_session *s)
{
    list_for_each (r, &s->reads, struct slurm_read, link)
        if (r->m.key.step >= 0 && slurm_output_answer(s, r->tag, &r->m, true))
            slurm_read_free(r);
}

void slurm_output_read(struct slurm_session *s, uint64_t tag, const struct msg_output_read *m)
{
    uint32_t wait_ms = m->wait_ms < WAIT_MAX_MS ? m->wait_ms : WAIT_MAX_MS;
    if (slurm_output_answer(s, tag, m, wait_ms && s->n_reads < READS_MAX))
        return;
    struct slurm_read *r = xcalloc(1, sizeof *r);
    *r = (struct slurm_read){.session = s, .tag = tag, .left_ms = wait_ms};
    r->m = (struct msg_output_read){.key.job = m->key.job,
                                    .key.step = m->key.step,
                                    .stream = m->stream,
                                    .offset = m->offset,
                                    .max = m->max};
    r->timer = (struct loop_timer){.fn = slurm_read_look, .ctx = r};
    list_init(&r->link);
    list_append(&s->reads, &r->link);
    s->n_reads++;
    loop_timer_set(s->hub->loop, &r->timer, LOOK_MS);
}
