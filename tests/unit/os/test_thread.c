/* A detached thread gets no signal, and leaves the thread that starts it as it was. */
#include "tests/lib/check.h"

#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

#include "src/os/thread.h"

static sem_t done;
static bool takes_none;

static void *look(void *arg)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    takes_none = sigismember(&mask, SIGTERM) && sigismember(&mask, SIGWINCH) && sigismember(&mask, SIGUSR1);
    sem_post(arg);
    return NULL;
}

static void no_signal_is_its_own(void **unused)
{
    (void)unused;
    static const size_t stacks[] = {0, 1u << 20};
    for (size_t i = 0; i < N_OF(stacks); i++) {
        sigset_t before, after;
        takes_none = false;
        sigprocmask(SIG_SETMASK, NULL, &before);
        assert_int_equal(thread_start(look, &done, stacks[i]), 0);
        assert_int_equal(sem_wait(&done), 0);
        assert_true(takes_none);
        sigprocmask(SIG_SETMASK, NULL, &after);
        for (int s = 1; s < NSIG; s++)
            assert_int_equal(sigismember(&after, s), sigismember(&before, s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_signal_is_its_own)};
    sem_init(&done, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
