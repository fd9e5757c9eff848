/* pmi_client - a program of an MPI job without MPI: its ranks exchange what they put, by PMI alone.
 *
 *     srun --mpi=pmi2 -n 4 pmi_client [1|2] [FENCES] [abort | KIB]
 *
 * Speaks version 2 (or 1). In each fence every rank puts a value with ';' and '=' in it and then reads
 * those of all ranks. Rank 0 prints "RANKS ranks, FENCES fences, mapping M: ok"; anything wrong: exit 1
 * with a text. abort: rank 0 aborts the step instead. KIB: each rank puts so much more before a fence.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fd, version, rank, size;

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    exit(1);
}

static void send_all(const char *s, size_t n)
{
    for (ssize_t done; n; s += done, n -= (size_t)done)
        if ((done = write(fd, s, n)) <= 0)
            fail("write", "lost");
}

static void read_n(char *buf, size_t n)
{
    for (ssize_t got; n; buf += got, n -= (size_t)got)
        if ((got = read(fd, buf, n)) <= 0)
            fail("read", "lost");
}

static char answer[70000];

static void read_line(void)
{
    size_t n = 0;
    do
        read_n(&answer[n], 1);
    while (answer[n++] != '\n');
    answer[n - 1] = '\0';
}

/* Asks in either version: v2 is sent with its length in front. The answer is in `answer`. */
static void ask(const char *text, const char *want)
{
    char head[16];
    if (version == 2) {
        snprintf(head, sizeof head, "%6zu", strlen(text));
        send_all(head, 6);
        send_all(text, strlen(text));
        read_n(head, 6);
        head[6] = '\0';
        size_t n = (size_t)atol(head);
        read_n(answer, n);
        answer[n] = '\0';
    } else {
        send_all(text, strlen(text));
        send_all("\n", 1);
        read_line();
    }
    if (!strstr(answer, want))
        fail(text, answer);
}

static void begin(void)
{
    char text[128];
    const char *hello = version == 2 ? "cmd=init pmi_version=2 pmi_subversion=0\n"
                                     : "cmd=init pmi_version=1 pmi_subversion=1\n";
    send_all(hello, strlen(hello));
    read_line();
    if (!strstr(answer, "cmd=response_to_init") || !strstr(answer, "rc=0"))
        fail("init", answer);
    if (version == 1) {
        ask("cmd=get_maxes", "vallen_max=");
        ask("cmd=get_my_kvsname", "kvsname=");
        return;
    }
    snprintf(text, sizeof text, "cmd=fullinit;pmijobid=%s;pmirank=%d;threaded=FALSE;", getenv("PMI_JOBID"),
             rank);
    ask(text, "cmd=fullinit-response;");
    snprintf(text, sizeof text, "rank=%d;size=%d;", rank, size);
    if (!strstr(answer, text))
        fail("fullinit", answer);
    ask("cmd=job-getid;", "jobid=");
    ask("cmd=nonsense;", "rc=1;");
}

/* What rank r puts in a fence; in PMI-2 ';' is doubled on the wire. */
static void value_of(int r, int fence, char *buf, size_t n)
{
    snprintf(buf, n, version == 2 ? "tcp://host%d:%d;;ifname=eth0" : "tcp://host%d:%d$ifname=eth0", r,
             fence);
}

#define LUMP 50000

static void put_lumps(int fence, int kib)
{
    static char text[LUMP + 200];
    for (int i = 0; i * (LUMP / 1000) < kib; i++) {
        int n = snprintf(text, sizeof text, "cmd=kvs-put;key=lump-%d-%d-%d;value=", rank, fence, i);
        memset(text + n, 'x', LUMP);
        memcpy(text + n + LUMP, ";", 2);
        ask(text, "rc=0");
    }
}

static void exchange(int fence)
{
    char text[512], value[128], want[200];
    value_of(rank, fence, value, sizeof value);
    snprintf(text, sizeof text,
             version == 2 ? "cmd=kvs-put;key=card-%d-%d;value=%s;"
                          : "cmd=put kvsname=x key=card-%d-%d value=%s",
             rank, fence, value);
    ask(text, "rc=0");
    ask(version == 2 ? "cmd=kvs-fence;" : "cmd=barrier_in", "rc=0");
    for (int r = 0; r < size; r++) {
        value_of(r, fence, value, sizeof value);
        snprintf(text, sizeof text,
                 version == 2 ? "cmd=kvs-get;jobid=;srcid=-1;key=card-%d-%d;"
                              : "cmd=get kvsname=x key=card-%d-%d",
                 r, fence);
        snprintf(want, sizeof want, "value=%s", value);
        ask(text, want);
    }
}

int main(int argc, char **argv)
{
    const char *fd_text = getenv("PMI_FD"), *rank_text = getenv("PMI_RANK"),
               *size_text = getenv("PMI_SIZE");
    version = argc > 1 ? atoi(argv[1]) : 2;
    int fences = argc > 2 ? atoi(argv[2]) : 1;
    int kib = argc > 3 ? atoi(argv[3]) : 0;
    bool aborts = argc > 3 && !kib;
    if (!fd_text || !rank_text || !size_text)
        fail("environment", "no PMI_FD, PMI_RANK or PMI_SIZE");
    fd = atoi(fd_text);
    rank = atoi(rank_text);
    size = atoi(size_text);
    begin();
    for (int i = 0; i < fences; i++) {
        put_lumps(i, kib);
        exchange(i);
    }
    if (aborts && rank == 0) {
        const char *text = "    24cmd=abort;msg=told to so;";
        send_all(text, 6 + 24);
    }
    if (aborts)
        pause();
    char mapping[256] = "";
    if (version == 2) {
        ask("cmd=info-getjobattr;key=PMI_process_mapping;", "found=TRUE;");
        ask("cmd=info-getjobattr;key=PMI_process_mapping;", "value=(vector,");
    } else {
        ask("cmd=get kvsname=x key=PMI_process_mapping", "value=(vector,");
    }
    snprintf(mapping, sizeof mapping, "%.200s", strchr(strstr(answer, "value="), '('));
    mapping[strcspn(mapping, ";")] = '\0';
    if (version == 2 && rank == 0) {
        ask("cmd=info-putnodeattr;key=sharedfile;value=/dev/shm/x;", "rc=0;");
        ask("cmd=info-getnodeattr;key=sharedfile;wait=TRUE;", "value=/dev/shm/x;");
        ask("cmd=kvs-get;jobid=;srcid=-1;key=nothing;", "found=FALSE;");
    }
    ask(version == 2 ? "cmd=finalize;" : "cmd=finalize", "finalize");
    if (rank == 0)
        printf("%d ranks, %d fences, mapping %s: ok\n", size, fences, mapping);
    return 0;
}
