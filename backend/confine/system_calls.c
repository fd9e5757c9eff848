/* The BPF program that is made from tables of system calls.
 *
 *     another architecture, or numbers of one  -> end
 *     number newer than the table              -> ENOSYS
 *     clone with a new namespace               -> refused
 *     number of a row of this kind             -> allowed
 *     else                                     -> refused: SIGSYS
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/confine/system_calls.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

#define X32_BIT 0x40000000u
#define NAMESPACES                                                                             \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)
#define NEWEST         448 /* process_mrelease, of Linux 5.15 */
#define FILTER_MOST    1024
#define OFFSET(member) ((uint32_t)offsetof(struct seccomp_data, member))

static const char *confined_program; /* for the handler of a signal, as are: */
static const struct system_call *confined_tables[SYSTEM_CALL_TABLES];

struct bpf_text {
    struct sock_filter v[FILTER_MOST];
    unsigned short n;
};

static void bpf_add(struct bpf_text *b, uint16_t code, uint32_t k)
{
    b->v[b->n++] = (struct sock_filter){.code = code, .k = k};
}

static void bpf_jump(struct bpf_text *b, uint16_t jump, uint32_t k, uint8_t yes, uint8_t no)
{
    b->v[b->n++] =
        (struct sock_filter){.code = (uint16_t)(BPF_JMP | jump | BPF_K), .k = k, .jt = yes, .jf = no};
}

/* The next instruction runs only where the accumulator compares so. */
static void bpf_if(struct bpf_text *b, uint16_t jump, uint32_t k, bool holds)
{
    bpf_jump(b, jump, k, holds ? 0 : 1, holds ? 1 : 0);
}

/* A process (any flag) or a thread, but no new namespace. Where it is refused the jumps lead to what
 * follows. */
static void bpf_add_clone(struct bpf_text *b, bool threads_alone)
{
    bpf_jump(b, BPF_JEQ, SYS_clone, 0, 4);
    bpf_add(b, BPF_LD | BPF_W | BPF_ABS, OFFSET(args[0])); /* the flags; little endian */
    bpf_jump(b, BPF_JSET, NAMESPACES, 2, 0);
    bpf_jump(b, BPF_JSET, threads_alone ? CLONE_THREAD : ~0u, 0, 1);
    bpf_add(b, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

static void bpf_add_rows(struct bpf_text *b, const struct system_call *c, unsigned kinds)
{
    for (; c && c->name; c++) {
        uint32_t verdict = c->pretend ? SECCOMP_RET_ERRNO | (uint32_t)c->pretend : SECCOMP_RET_ALLOW;
        if (c->number < 0 || !(c->pretend || c->kinds & kinds))
            continue;
        bpf_if(b, BPF_JEQ, (uint32_t)c->number, true);
        bpf_add(b, BPF_RET | BPF_K, verdict);
    }
}

static void bpf_make(struct bpf_text *b, const struct system_calls *s, uint32_t arch, uint32_t refused)
{
    bpf_add(b, BPF_LD | BPF_W | BPF_ABS, OFFSET(arch));
    bpf_if(b, BPF_JEQ, arch, false);
    bpf_add(b, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    bpf_add(b, BPF_LD | BPF_W | BPF_ABS, OFFSET(nr));
    bpf_if(b, BPF_JGE, X32_BIT, true);
    bpf_add(b, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    bpf_if(b, BPF_JGT, NEWEST, true);
    bpf_add(b, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < SYSTEM_CALL_TABLES; i++)
        bpf_add_rows(b, s->tables[i], s->kinds);
    if (s->clone != CLONE_NOTHING)
        bpf_add_clone(b, s->clone == CLONE_THREADS);
    bpf_add(b, BPF_RET | BPF_K, refused);
}

/* --- what is refused is said --- */

static const char *system_call_name(int number)
{
    for (size_t i = 0; i < SYSTEM_CALL_TABLES; i++)
        for (const struct system_call *c = confined_tables[i]; c && c->name; c++)
            if (c->number == number)
                return c->name;
    return "?";
}

static char *append(char *at, const char *text)
{
    size_t n = strlen(text);
    memcpy(at, text, n);
    return at + n;
}

static char *append_number(char *at, unsigned n)
{
    char digits[12], *d = digits + sizeof digits - 1;
    *d = '\0';
    do
        *--d = (char)('0' + n % 10);
    while (n /= 10);
    return append(at, d);
}

static void on_refused(int signo, siginfo_t *info, void *context)
{
    (void)context;
    char line[256], *at = line;
    at = append(at, confined_program);
    at = append(at, ": system call ");
    at = append_number(at, (unsigned)info->si_syscall);
    at = append(at, " (");
    at = append(at, system_call_name(info->si_syscall));
    at = append(at, ") is not allowed to this process, which ends; " CONFINE_VARIABLE
                    "=off lifts the filter\n");
    ssize_t written = write(2, line, (size_t)(at - line));
    (void)written;
    struct sigaction as_ever = {.sa_handler = SIG_DFL};
    sigaction(signo, &as_ever, NULL);
    raise(signo); /* delivered when this handler returns */
}

static int catch_refusals(const struct system_calls *s, const char *program)
{
    confined_program = program;
    memcpy(confined_tables, s->tables, sizeof confined_tables);
    struct sigaction say = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGSYS);
    if (sigaction(SIGSYS, &say, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &own, NULL) < 0)
        return -errno;
    return 0;
}

int system_calls_confine(const struct system_calls *s, const char *program)
{
    const char *wish = getenv(CONFINE_VARIABLE);
    if (IS_SANITIZED || (wish && strcmp(wish, "off") == 0))
        return 1;
#ifdef OUR_ARCH
    bool log = wish && strcmp(wish, "log") == 0;
    struct bpf_text text = {.n = 0};
    bpf_make(&text, s, OUR_ARCH, log ? SECCOMP_RET_LOG : SECCOMP_RET_TRAP);
    struct sock_fprog filter = {.len = text.n, .filter = text.v};
    int r = catch_refusals(s, program);
    if (r == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        r = -errno;
    if (r < 0)
        return r;
    long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return failed < 0   ? -errno
           : failed > 0 ? -ESRCH
                        : 0; /* more than 0: a thread that has another filter */
#else
    (void)s;
    (void)program;
    return -ENOSYS;
#endif
}
