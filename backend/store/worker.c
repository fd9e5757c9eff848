/* worker.c - the thread, and the queues between it and the loop's thread.
 *
 * The two threads share the queues and `busy`, under `lock`.
 */
#include "backend/store/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/xalloc.h"

struct worker {
    struct disk *disk;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int event_fd;
    struct list todo, done;
    struct list readers; /* questions to the history, done when nothing else is to do */
    bool busy;           /* the thread uses the disk */
};

static bool worker_is_idle(const struct worker *w)
{
    return list_empty(&w->todo) && list_empty(&w->readers);
}

static void *worker_thread_main(void *arg)
{
    struct worker *w = arg;
    bool stop = false;
    pthread_mutex_lock(&w->lock);
    while (!stop) {
        if (worker_is_idle(w)) {
            pthread_mutex_unlock(&w->lock);
            disk_checkpoint(w->disk, true); /* still busy: the disk is not free before it is done */
            pthread_mutex_lock(&w->lock);
        }
        while (worker_is_idle(w)) {
            w->busy = false;
            pthread_cond_broadcast(&w->wake);
            pthread_cond_wait(&w->wake, &w->lock);
        }
        w->busy = true;
        struct work *work = list_first(list_empty(&w->todo) ? &w->readers : &w->todo, struct work, link);
        list_unlink(&work->link);
        pthread_mutex_unlock(&w->lock);
        disk_do(w->disk, work);
        stop = work->kind == WORK_STOP;
        pthread_mutex_lock(&w->lock);
        list_append(&w->done, &work->link);
        pthread_mutex_unlock(&w->lock);
        eventfd_write(w->event_fd, 1);
        disk_checkpoint(w->disk, false);
        pthread_mutex_lock(&w->lock);
    }
    w->busy = false;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct worker *worker_new(struct disk *d)
{
    struct worker *w = xcalloc(1, sizeof *w);
    w->disk = d;
    list_init(&w->todo);
    list_init(&w->done);
    list_init(&w->readers);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->busy = true;
    bug_on(pthread_create(&w->thread, NULL, worker_thread_main, w) != 0);
    return w;
}

void worker_hand_over(struct worker *w, struct work *work)
{
    pthread_mutex_lock(&w->lock);
    list_append(work_can_wait(work) ? &w->readers : &w->todo, &work->link);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void worker_wait_idle(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->busy || !worker_is_idle(w))
        pthread_cond_wait(&w->wake, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

void worker_do_now(struct worker *w, struct work *work)
{
    worker_hand_over(w, work);
    worker_wait_idle(w);
    pthread_mutex_lock(&w->lock);
    list_unlink(&work->link);
    pthread_mutex_unlock(&w->lock);
}

int worker_fd(const struct worker *w)
{
    return w->event_fd;
}

void worker_take_done(struct worker *w, struct list *into)
{
    eventfd_t n;
    eventfd_read(w->event_fd, &n);
    pthread_mutex_lock(&w->lock);
    while (!list_empty(&w->done))
        list_move_to_end(into, w->done.next);
    pthread_mutex_unlock(&w->lock);
}

void worker_drop_done(struct worker *w, bool (*is_void)(const struct work *work))
{
    pthread_mutex_lock(&w->lock);
    list_for_each (work, &w->done, struct work, link)
        if (is_void(work)) {
            list_unlink(&work->link);
            work_free(work);
        }
    pthread_mutex_unlock(&w->lock);
}

static void worker_free_all(struct list *works)
{
    list_for_each (work, works, struct work, link)
        work_free(work);
}

void worker_free(struct worker *w)
{
    worker_hand_over(w, work_new(WORK_STOP));
    pthread_join(w->thread, NULL);
    worker_free_all(&w->done);
    worker_free_all(&w->readers);
    close(w->event_fd);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    free(w);
}
