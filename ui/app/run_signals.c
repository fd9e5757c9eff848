#include "ui/app/run_signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

int run_signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaddset(&set, SIGTERM); /* see mind_signals */
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* The default action of the signal: the parent process sees which signal ended it. */
void run_signals_end_by(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    signal(sig, SIG_DFL);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
