/* slowline.c - a bad cable: stands between who connects and a server, and carries bytes late, unevenly,
 * slowly, not at all.
 *
 *     slowline LISTEN-ADDRESS TARGET-ADDRESS PORT FIFO
 *
 * Each line that is written into FIFO changes it from then on, for what is on its way too where it says so:
 *
 *     delay MS      each byte arrives so much later, each way
 *     jitter MS     up to so much later still, by chance; bytes keep their order
 *     rate BYTES    a second and each way, as one cable for all connections; 0: as fast as it goes
 *     stall, go     nothing moves, both ends keep their connection; on again
 *     cut           all connections are reset
 *
 * As much as a window of QUEUE_MAX is on its way, what is more waits with the sender. It ends with its
 * parent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNS     32
#define CHUNK     16384
#define QUEUE_MAX (256u << 10)
#define IDLE_MS   1000

struct piece {
    struct piece *next;
    int64_t due_us;
    size_t n, at;
    char bytes[];
};

/* One direction of one connection. */
struct way {
    struct piece *first, **last;
    size_t queued;
    int64_t due_us; /* of the last piece: order is kept */
    bool ended;     /* its source has nothing more */
    bool closed;    /* and that has been said at the other end */
};

struct conn {
    int fd[2];         /* who called, the server; -1 in both: free */
    struct way way[2]; /* way[i]: from fd[i] to fd[!i] */
};

static struct {
    int64_t delay_us, jitter_us, rate;
    bool stalled;
    int64_t free_us[2]; /* when the cable has sent what was given to it, each way */
    struct conn conns[CONNS];
} line;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void die(const char *what)
{
    fprintf(stderr, "slowline: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct sockaddr_in address_of(const char *host, const char *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    if (inet_pton(AF_INET, host, &a.sin_addr) != 1)
        die(host);
    return a;
}

static void drop(struct conn *c, bool reset)
{
    struct linger hard = {.l_onoff = 1};
    for (int i = 0; i < 2; i++) {
        if (reset)
            setsockopt(c->fd[i], SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        close(c->fd[i]);
        c->fd[i] = -1;
        for (struct piece *p = c->way[i].first, *next; p; p = next) {
            next = p->next;
            free(p);
        }
        c->way[i] = (struct way){.last = NULL};
    }
}

static void accept_one(int listener, const struct sockaddr_in *target)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    struct conn *c = line.conns;
    while (c < line.conns + CONNS && c->fd[0] >= 0)
        c++;
    if (fd < 0)
        return;
    int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c == line.conns + CONNS || connect(to, (const struct sockaddr *)target, sizeof *target) < 0) {
        close(to);
        close(fd);
        return;
    }
    fcntl(to, F_SETFL, O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *c = (struct conn){.fd = {fd, to}};
    for (int i = 0; i < 2; i++)
        c->way[i].last = &c->way[i].first;
}

/* When n bytes that are given to the cable now come out of it. */
static int64_t arrival_us(int direction, size_t n, int64_t now)
{
    int64_t *free_us = &line.free_us[direction];
    if (*free_us < now)
        *free_us = now;
    if (line.rate)
        *free_us += (int64_t)n * 1000000 / line.rate;
    return *free_us + line.delay_us + (line.jitter_us ? random() % line.jitter_us : 0);
}

/* False: the connection is over. */
static bool take(struct conn *c, int i, int64_t now)
{
    struct way *w = &c->way[i];
    struct piece *p = malloc(sizeof *p + CHUNK);
    if (!p)
        die("malloc");
    ssize_t n = read(c->fd[i], p->bytes, CHUNK);
    if (n <= 0) {
        free(p);
        w->ended = n == 0;
        return n == 0 || errno == EAGAIN || errno == EINTR;
    }
    p->next = NULL;
    p->n = (size_t)n;
    p->at = 0;
    p->due_us = arrival_us(i, p->n, now);
    if (p->due_us < w->due_us)
        p->due_us = w->due_us;
    w->due_us = p->due_us;
    w->queued += p->n;
    *w->last = p;
    w->last = &p->next;
    return true;
}

static bool deliver(struct conn *c, int i, int64_t now)
{
    struct way *w = &c->way[i];
    for (struct piece *p; (p = w->first) && p->due_us <= now;) {
        ssize_t n = send(c->fd[!i], p->bytes + p->at, p->n - p->at, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        p->at += (size_t)n;
        w->queued -= (size_t)n;
        if (p->at < p->n)
            return true;
        w->first = p->next;
        if (!w->first)
            w->last = &w->first;
        free(p);
    }
    if (w->ended && !w->first && !w->closed) {
        w->closed = true;
        shutdown(c->fd[!i], SHUT_WR);
    }
    return !(c->way[0].closed && c->way[1].closed);
}

static void obey(char *command)
{
    char word[16];
    long long value = 0;
    if (sscanf(command, "%15s %lld", word, &value) < 1)
        return;
    if (strcmp(word, "delay") == 0)
        line.delay_us = value * 1000;
    else if (strcmp(word, "jitter") == 0)
        line.jitter_us = value * 1000;
    else if (strcmp(word, "rate") == 0)
        line.rate = value;
    else if (strcmp(word, "stall") == 0 || strcmp(word, "go") == 0)
        line.stalled = word[0] == 's';
    else if (strcmp(word, "cut") == 0)
        for (struct conn *c = line.conns; c < line.conns + CONNS; c++) {
            if (c->fd[0] >= 0)
                drop(c, true);
        }
    else
        fprintf(stderr, "slowline: what is \"%s\"?\n", word);
}

/* Lines come whole: a write of less than PIPE_BUF is one. */
static void read_commands(int fifo)
{
    char text[4096];
    ssize_t n = read(fifo, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    char *rest = text;
    for (char *one; (one = strsep(&rest, "\n"));)
        obey(one);
}

/* What a connection waits for, both ends; returns when its next piece is due. */
static int64_t plan(const struct conn *c, struct pollfd p[2], int64_t now)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < 2; i++)
        p[i] = (struct pollfd){.fd = c->fd[i]};
    for (int i = 0; i < 2 && !line.stalled && c->fd[0] >= 0; i++) {
        const struct way *w = &c->way[i];
        if (!w->ended && w->queued < QUEUE_MAX)
            p[i].events |= POLLIN;
        if (w->first && w->first->due_us <= now)
            p[!i].events |= POLLOUT;
        else if (w->first && w->first->due_us < next)
            next = w->first->due_us;
    }
    for (int i = 0; i < 2; i++)
        if (!p[i].events) /* a hang-up is told unasked, and would be told without end */
            p[i].fd = -1;
    return next;
}

static void turn(int listener, int fifo, const struct sockaddr_in *target)
{
    struct pollfd p[2 + 2 * CONNS] = {{.fd = listener, .events = POLLIN}, {.fd = fifo, .events = POLLIN}};
    int64_t now = now_us(), next = now + IDLE_MS * 1000;
    for (size_t i = 0; i < CONNS; i++) {
        int64_t due = plan(&line.conns[i], &p[2 + 2 * i], now);
        next = due < next ? due : next;
    }
    struct timespec wait = {.tv_sec = (next - now) / 1000000, .tv_nsec = (next - now) % 1000000 * 1000};
    if (ppoll(p, 2 + 2 * CONNS, &wait, NULL) < 0 && errno != EINTR)
        die("poll");
    now = now_us();
    for (size_t i = 0; i < CONNS && !line.stalled; i++) {
        struct conn *c = &line.conns[i];
        bool good = c->fd[0] >= 0;
        for (int k = 0; k < 2 && good; k++)
            good = (!p[2 + 2 * i + (size_t)k].revents || !(p[2 + 2 * i + (size_t)k].events & POLLIN) ||
                    take(c, k, now)) &&
                   deliver(c, k, now);
        if (!good && c->fd[0] >= 0)
            drop(c, false);
    }
    if (p[1].revents)
        read_commands(fifo);
    if (p[0].revents)
        accept_one(listener, target);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: slowline LISTEN-ADDRESS TARGET-ADDRESS PORT FIFO\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct sockaddr_in here = address_of(argv[1], argv[3]), target = address_of(argv[2], argv[3]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) < 0 || listen(listener, CONNS) < 0)
        die(argv[1]);
    int fifo = open(argv[4], O_RDWR | O_CLOEXEC | O_NONBLOCK); /* never at its end */
    if (fifo < 0)
        die(argv[4]);
    for (size_t i = 0; i < CONNS; i++)
        line.conns[i].fd[0] = line.conns[i].fd[1] = -1;
    for (;;)
        turn(listener, fifo, &target);
}
