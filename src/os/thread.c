/* thread.c - detached, without signals. */
#include "src/os/thread.h"

#include <pthread.h>
#include <signal.h>

int thread_start(void *(*fn)(void *), void *arg, size_t stack)
{
    pthread_t t;
    pthread_attr_t attr;
    sigset_t all, old;
    sigfillset(&all);
    sigdelset(&all, SIGSYS); /* of the thread itself: the handler says which system call was refused */
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (stack)
        pthread_attr_setstacksize(&attr, stack);
    /* A thread inherits the mask; blocking signals within it would be too late for the first ones. */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&t, &attr, fn, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return -r;
}
