#include "backend/slurm/past/slurm_ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/os/file.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define FILE_MOST (8u << 20)

struct slurm_ends {
    char *path;
    bool loaded;
    size_t size;       /* of the file */
    struct idmap seen; /* id and time of submission, hashed */
};

/* Ids begin again where a slurmctld has lost its state. */
static uint64_t ends_key(const struct job *j)
{
    return (uint64_t)j->t_submit.ms * UINT64_C(0x9e3779b97f4a7c15) + j->id + 1;
}

struct slurm_ends *slurm_ends_new(const char *path)
{
    struct slurm_ends *e = xcalloc(1, sizeof *e);
    e->path = xstrdup(path);
    return e;
}

void slurm_ends_free(struct slurm_ends *e)
{
    if (!e)
        return;
    idmap_fini(&e->seen);
    free(e->path);
    free(e);
}

/* What is cut off at the end of the file is left out. */
static void ends_walk(struct slurm_ends *e,
                      void (*fn)(void *ctx, const struct job *j, size_t from, size_t to), void *ctx,
                      struct str *text)
{
    struct frame_reader r = {.max = 0};
    struct frame f;
    int fd = open(e->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    size_t at = 0;
    if (fd < 0)
        return;
    (void)file_read_fd(fd, FILE_MOST * 2, text);
    close(fd);
    memcpy(frame_reader_space(&r, text->len), text->s, text->len);
    frame_reader_added(&r, text->len);
    while (frame_reader_next(&r, &f) > 0) {
        void *body = NULL;
        size_t from = at;
        at += FRAME_HEADER_SIZE + f.size;
        if (f.type != MSG_JOBS || msg_decode(&f, &body, NULL) < 0)
            continue;
        const struct msg_jobs *m = body;
        if (m->rows.n == 1)
            fn(ctx, &m->rows.v[0], from, at);
        msg_free(MSG_JOBS, body);
    }
    frame_reader_fini(&r);
}

static void ends_learn(void *ctx, const struct job *j, size_t from, size_t to)
{
    (void)from;
    struct slurm_ends *e = ctx;
    idmap_set(&e->seen, ends_key(j), e);
    e->size = to;
}

static void ends_load(struct slurm_ends *e)
{
    struct str text = STR_INIT;
    if (e->loaded)
        return;
    e->loaded = true;
    ends_walk(e, ends_learn, e, &text);
    str_fini(&text);
}

struct ends_cut { /* where the newest half begins */
    size_t half, from;
};

static void ends_find_half(void *ctx, const struct job *j, size_t from, size_t to)
{
    (void)j;
    (void)to;
    struct ends_cut *c = ctx;
    if (!c->from && from >= c->half)
        c->from = from;
}

static void ends_shrink(struct slurm_ends *e)
{
    struct str text = STR_INIT;
    struct ends_cut cut = {.half = e->size / 2};
    char *new = xasprintf("%s.new", e->path);
    ends_walk(e, ends_find_half, &cut, &text);
    int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && cut.from && file_write_fd(fd, text.s + cut.from, e->size - cut.from) == 0 &&
        rename(new, e->path) == 0)
        e->size -= cut.from;
    if (fd >= 0)
        close(fd);
    free(new);
    str_fini(&text);
}

void slurm_ends_note(struct slurm_ends *e, const struct job *j)
{
    struct str out = STR_INIT;
    struct job row = *j;
    struct msg_jobs m = {.rows = {.v = &row, .n = 1}};
    if (!job_state_is_final((enum job_state)j->state) || !wall_is_set(j->t_end))
        return;
    ends_load(e);
    if (idmap_get(&e->seen, ends_key(j)))
        return;
    idmap_set(&e->seen, ends_key(j), e);
    if (e->size > FILE_MOST)
        ends_shrink(e);
    msg_append(&out, MSG_JOBS, 0, &m);
    (void)dirs_above(e->path, 0700);
    int fd = open(e->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* Behind the last whole row: a part of one is written over. */
    if (fd >= 0 && lseek(fd, (off_t)e->size, SEEK_SET) >= 0 && file_write_fd(fd, out.s, out.len) == 0 &&
        ftruncate(fd, (off_t)(e->size + out.len)) == 0)
        e->size += out.len;
    if (fd >= 0)
        close(fd);
    str_fini(&out);
}

struct ends_each {
    void (*fn)(void *ctx, const struct job *j);
    void *ctx;
};

static void ends_hand_on(void *ctx, const struct job *j, size_t from, size_t to)
{
    (void)from;
    (void)to;
    const struct ends_each *each = ctx;
    each->fn(each->ctx, j);
}

void slurm_ends_each(struct slurm_ends *e, void (*fn)(void *ctx, const struct job *j), void *ctx)
{
    struct str text = STR_INIT;
    struct ends_each each = {fn, ctx};
    ends_walk(e, ends_hand_on, &each, &text);
    str_fini(&text);
}
