/* sim_worker.c - backend/store/worker.h on the world's timers, linked in its place. */
#include "tests/vopr/sim_worker.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backend/store/worker.h"
#include "tests/vopr/ledger.h"
#include "tests/vopr/sim.h"
#include "tests/vopr/sim_vfs.h"

struct worker {
    struct disk *disk;
    struct list todo, done, readers;
    struct loop_timer step;
    int event_fd;
};

static int64_t pace_min_ms, pace_max_ms = 1;
static void (*on_step)(void);

void sim_worker_set_pace(int64_t min_ms, int64_t max_ms)
{
    pace_min_ms = min_ms;
    pace_max_ms = max_ms;
}

void sim_worker_on_step(void (*fn)(void))
{
    on_step = fn;
}

static bool is_idle(const struct worker *w)
{
    return list_empty(&w->todo) && list_empty(&w->readers);
}

static void note_commit(const struct work *w)
{
    if (w->kind != WORK_BATCH || w->result < 0)
        return;
    vec_for_each (&w->rows, i)
        if (w->rows.v[i].kind == ROW_EVENT)
            ledger_commits(w->rows.v[i].seq);
}

/* In the order of the thread's loop. */
static void do_one(struct worker *w)
{
    struct work *work = list_first(list_empty(&w->todo) ? &w->readers : &w->todo, struct work, link);
    list_unlink(&work->link);
    disk_do(w->disk, work);
    note_commit(work);
    list_append(&w->done, &work->link);
    if (!sim_vfs_is_dead())
        eventfd_write(w->event_fd, 1);
    disk_checkpoint(w->disk, false);
    if (is_idle(w))
        disk_checkpoint(w->disk, true);
    if (on_step)
        on_step();
}

static void arm(struct worker *w)
{
    if (!is_idle(w) && !heap_has(&w->step.node))
        loop_timer_set(sim.world, &w->step, sim_between(pace_min_ms, pace_max_ms));
}

static void step(void *ctx)
{
    struct worker *w = ctx;
    do_one(w);
    arm(w);
}

struct worker *worker_new(struct disk *d)
{
    struct worker *w = xcalloc(1, sizeof *w);
    w->disk = d;
    list_init(&w->todo);
    list_init(&w->done);
    list_init(&w->readers);
    w->step = (struct loop_timer){.fn = step, .ctx = w};
    w->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return w;
}

void worker_hand_over(struct worker *w, struct work *work)
{
    list_append(work_can_wait(work) ? &w->readers : &w->todo, &work->link);
    arm(w);
}

void worker_wait_idle(struct worker *w)
{
    while (!is_idle(w))
        do_one(w);
    loop_timer_cancel(sim.world, &w->step);
}

void worker_do_now(struct worker *w, struct work *work)
{
    worker_hand_over(w, work);
    worker_wait_idle(w);
    list_unlink(&work->link);
}

int worker_fd(const struct worker *w)
{
    return w->event_fd;
}

void worker_take_done(struct worker *w, struct list *into)
{
    eventfd_t n;
    eventfd_read(w->event_fd, &n);
    while (!list_empty(&w->done))
        list_move_to_end(into, w->done.next);
}

void worker_drop_done(struct worker *w, bool (*is_void)(const struct work *work))
{
    list_for_each (work, &w->done, struct work, link)
        if (is_void(work)) {
            list_unlink(&work->link);
            work_free(work);
        }
}

static void free_all(struct list *works)
{
    list_for_each (work, works, struct work, link)
        work_free(work);
}

void worker_free(struct worker *w)
{
    while (!list_empty(&w->todo))
        do_one(w);
    loop_timer_cancel(sim.world, &w->step);
    free_all(&w->done);
    free_all(&w->readers);
    close(w->event_fd);
    free(w);
}
