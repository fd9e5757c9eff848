/* aside.c - work that may wait for a file is done in a thread of its own; its end comes back as an event.
 *
 * What a thread and the screens share is behind one lock and outlives both: a thread that hangs in a file
 * system when the screens are left cannot be stopped, and frees what it holds when it comes back, if ever.
 */
#include "ui/frame/aside.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/thread.h"
#include "ui/state/ui_state.h"

struct aside_work {
    struct asides *all;
    ui_aside_fn *fn;
    ui_aside_done_fn *done;
    void *arg;
    void (*free_arg)(void *);
    struct view *owner; /* the screens' side alone */
    bool has_owner;
};

struct asides {
    pthread_mutex_t lock;
    int fd;
    size_t refs; /* the screens, and every thread */
    bool closed;
    VEC(struct aside_work *) ended;
    VEC(struct aside_work *) running; /* the screens' side alone */
};

static void aside_work_free(struct aside_work *w)
{
    if (w->free_arg)
        w->free_arg(w->arg);
    free(w);
}

/* With the lock, which it gives back. */
static void asides_unref(struct asides *all)
{
    bool last = --all->refs == 0;
    pthread_mutex_unlock(&all->lock);
    if (!last)
        return;
    vec_for_each (&all->ended, i)
        aside_work_free(all->ended.v[i]);
    vec_fini(&all->ended);
    vec_fini(&all->running);
    close(all->fd);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

static void *aside_main(void *arg)
{
    struct aside_work *w = arg;
    struct asides *all = w->all;
    w->fn(w->arg);
    pthread_mutex_lock(&all->lock);
    if (all->closed) {
        aside_work_free(w);
    } else {
        uint64_t one = 1;
        vec_push(&all->ended, w);
        ssize_t n = write(all->fd, &one, sizeof one);
        (void)n;
    }
    asides_unref(all);
    return NULL;
}

static struct asides *asides_new(void)
{
    struct asides *all = xcalloc(1, sizeof *all);
    pthread_mutex_init(&all->lock, NULL);
    all->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bug_on(all->fd < 0);
    all->refs = 1;
    return all;
}

void ui_aside(struct ui *ui, struct view *owner, ui_aside_fn *fn, ui_aside_done_fn *done, void *take_arg,
              void (*free_arg)(void *))
{
    struct aside_work *w = xcalloc(1, sizeof *w);
    *w = (struct aside_work){.fn = fn,
                             .done = done,
                             .arg = take_arg,
                             .free_arg = free_arg,
                             .owner = owner,
                             .has_owner = owner != NULL};
    if (ui->o.threads) {
        if (!ui->asides)
            ui->asides = asides_new();
        w->all = ui->asides;
        pthread_mutex_lock(&ui->asides->lock);
        ui->asides->refs++;
        pthread_mutex_unlock(&ui->asides->lock);
        vec_push(&ui->asides->running, w);
        if (thread_start(aside_main, w, 0) == 0)
            return;
        ui->asides->running.n--;
        pthread_mutex_lock(&ui->asides->lock);
        asides_unref(ui->asides);
    }
    fn(take_arg);
    done(ui, owner, take_arg);
    aside_work_free(w);
}

int aside_fd(const struct ui *ui)
{
    return ui->asides ? ui->asides->fd : -1;
}

static struct aside_work *asides_next(struct asides *all)
{
    struct aside_work *w = NULL;
    pthread_mutex_lock(&all->lock);
    if (all->ended.n) {
        w = all->ended.v[0];
        vec_remove(&all->ended, 0);
    }
    pthread_mutex_unlock(&all->lock);
    for (size_t i = 0; w && i < all->running.n; i++)
        if (all->running.v[i] == w) {
            vec_remove(&all->running, i);
            break;
        }
    return w;
}

void aside_wake(struct ui *ui)
{
    uint64_t n;
    ssize_t k = read(ui->asides->fd, &n, sizeof n);
    (void)k;
    for (struct aside_work *w; (w = asides_next(ui->asides));) {
        if (!w->has_owner || w->owner)
            w->done(ui, w->owner, w->arg);
        aside_work_free(w);
    }
    ui->dirty = true;
}

void aside_forget(struct ui *ui, const struct view *owner)
{
    for (size_t i = 0; ui->asides && i < ui->asides->running.n; i++)
        if (ui->asides->running.v[i]->owner == owner)
            ui->asides->running.v[i]->owner = NULL;
}

void aside_free(struct ui *ui)
{
    if (!ui->asides)
        return;
    pthread_mutex_lock(&ui->asides->lock);
    ui->asides->closed = true;
    asides_unref(ui->asides);
    ui->asides = NULL;
}
