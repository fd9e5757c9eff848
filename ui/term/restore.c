/* restore.c - puts the terminal back from a signal handler.
 *
 * The state is the process's, as the terminal and its signals are. Handlers run on a stack of their own, so
 * that an overflow of the stack restores the terminal as well.
 */
#include "ui/term/restore.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX 1024

static struct {
    volatile sig_atomic_t armed;
    int fd;
    char bytes[BYTES_MAX];
    size_t n;
    struct termios saved;
} state;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT, SIGQUIT};

#define N_SIGNALS (sizeof signals / sizeof signals[0])

void restore_now(void)
{
    if (!state.armed)
        return;
    state.armed = 0;
    for (size_t at = 0; at < state.n;) {
        ssize_t k = write(state.fd, state.bytes + at, state.n - at);
        if (k < 0 && errno != EINTR)
            break;
        at += k > 0 ? (size_t)k : 0;
    }
    tcsetattr(state.fd, TCSANOW, &state.saved);
}

static void restore_on_signal(int sig)
{
    restore_now();
    /* SA_RESETHAND has put the default back: the signal comes again when the handler returns, and ends the
     * process as it should. */
    raise(sig);
}

static void install(void)
{
    static char stack[64 * 1024];
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&ss, NULL);
    struct sigaction sa = {.sa_handler = restore_on_signal, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &sa, NULL);
}

void restore_arm(int fd, const char *bytes, size_t n, const struct termios *saved)
{
    state.armed = 0;
    state.fd = fd;
    state.n = n < BYTES_MAX ? n : BYTES_MAX;
    memcpy(state.bytes, bytes, state.n);
    state.saved = *saved;
    install();
    state.armed = 1;
}
