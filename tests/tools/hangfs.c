/* hangfs.c - a file system whose server may fall silent, for tests: what a dead file server does to those
 * who write to it.
 *
 *     hangfs DIRECTORY FLAG
 *
 * Mounts itself on the directory (root only) and prints "ready". Any name can be made there; what is
 * written is taken and forgotten. While the file FLAG exists no write is answered: the writer waits in the
 * kernel, deaf to every signal. Ends with SIGTERM, which answers all that wait and unmounts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUEST_MAX (1u << 20)
#define FILES_MAX   64
#define NAME_SIZE   64
#define WAITING_MAX 256
#define LOOK_MS     20

struct wait {
    uint64_t unique;
    uint32_t size;
};

static int server;
static char names[FILES_MAX][NAME_SIZE]; /* node 1 is the directory, node 2 names[0] */
static uint64_t sizes[FILES_MAX];
static struct wait waiting[WAITING_MAX];
static size_t n_waiting;
static volatile sig_atomic_t over;

static void on_term(int signo)
{
    (void)signo;
    over = 1;
}

static void answer(uint64_t unique, int error, const void *body, size_t size)
{
    char buf[sizeof(struct fuse_out_header) + 256];
    struct fuse_out_header head = {.len = (uint32_t)(sizeof head + size), .error = error, .unique = unique};
    memcpy(buf, &head, sizeof head);
    if (size)
        memcpy(buf + sizeof head, body, size);
    if (write(server, buf, head.len) != (ssize_t)head.len && errno != ENOENT)
        perror("hangfs: answer");
}

static struct fuse_attr attributes(uint64_t node)
{
    bool directory = node == FUSE_ROOT_ID;
    return (struct fuse_attr){.ino = node,
                              .mode = directory ? S_IFDIR | 0777 : S_IFREG | 0666,
                              .nlink = 1,
                              .size = directory ? 0 : sizes[node - 2],
                              .blksize = 4096};
}

static uint64_t node_of(const char *name, bool make)
{
    for (uint64_t i = 0; i < FILES_MAX; i++) {
        if (strcmp(names[i], name) == 0)
            return i + 2;
        if (!names[i][0]) {
            if (make)
                snprintf(names[i], NAME_SIZE, "%s", name);
            return make ? i + 2 : 0;
        }
    }
    return 0;
}

static struct fuse_entry_out entry(uint64_t node)
{
    return (struct fuse_entry_out){.nodeid = node, .attr = attributes(node)};
}

static void took(uint64_t unique, uint32_t size)
{
    struct fuse_write_out out = {.size = size};
    answer(unique, 0, &out, sizeof out);
}

static void serve(const struct fuse_in_header *h, const void *body, const char *flag)
{
    struct fuse_attr_out attr = {.attr = attributes(h->nodeid)};
    struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO};
    uint64_t node;
    switch (h->opcode) {
    case FUSE_INIT: {
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 128u << 10};
        answer(h->unique, 0, &out, sizeof out);
        return;
    }
    case FUSE_GETATTR: answer(h->unique, 0, &attr, sizeof attr); return;
    case FUSE_SETATTR: answer(h->unique, 0, &attr, sizeof attr); return;
    case FUSE_LOOKUP:
        node = node_of(body, false);
        if (node) {
            struct fuse_entry_out e = entry(node);
            answer(h->unique, 0, &e, sizeof e);
        } else {
            answer(h->unique, -ENOENT, NULL, 0);
        }
        return;
    case FUSE_CREATE: {
        const struct fuse_create_in *in = body;
        node = node_of((const char *)(in + 1), true);
        struct {
            struct fuse_entry_out entry;
            struct fuse_open_out open;
        } out = {.open = opened};
        if (node)
            out.entry = entry(node);
        answer(h->unique, node ? 0 : -ENOSPC, &out, node ? sizeof out : 0);
        return;
    }
    case FUSE_OPEN: answer(h->unique, 0, &opened, sizeof opened); return;
    case FUSE_OPENDIR: answer(h->unique, 0, &(struct fuse_open_out){0}, sizeof opened); return;
    case FUSE_WRITE: {
        const struct fuse_write_in *in = body;
        sizes[h->nodeid - 2] += in->size;
        if (access(flag, F_OK) == 0 && n_waiting < WAITING_MAX)
            waiting[n_waiting++] = (struct wait){h->unique, in->size};
        else
            took(h->unique, in->size);
        return;
    }
    case FUSE_READ:
    case FUSE_READDIR:
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_FSYNC: answer(h->unique, 0, NULL, 0); return;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return; /* not to be answered; who waits goes on waiting */
    default: answer(h->unique, -ENOSYS, NULL, 0); return;
    }
}

int main(int argc, char **argv)
{
    static uint64_t request[REQUEST_MAX / sizeof(uint64_t)];
    char options[128];
    if (argc != 3)
        return 2;
    server = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", server);
    if (server < 0 || mount("hangfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) {
        perror("hangfs");
        return 1;
    }
    struct sigaction sa = {.sa_handler = on_term};
    sigaction(SIGTERM, &sa, NULL);
    puts("ready");
    fflush(stdout);
    while (!over) {
        struct pollfd p = {.fd = server, .events = POLLIN};
        poll(&p, 1, LOOK_MS);
        ssize_t n = read(server, request, sizeof request);
        const struct fuse_in_header *h = (const struct fuse_in_header *)request;
        if (n >= (ssize_t)sizeof *h)
            serve(h, h + 1, argv[2]);
        else if (n < 0 && errno == ENODEV)
            return 0;
        for (; n_waiting && access(argv[2], F_OK) < 0; n_waiting--)
            took(waiting[n_waiting - 1].unique, waiting[n_waiting - 1].size);
    }
    while (n_waiting) {
        n_waiting--;
        took(waiting[n_waiting].unique, waiting[n_waiting].size);
    }
    umount2(argv[1], MNT_DETACH);
    return 0;
}
