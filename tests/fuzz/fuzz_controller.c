/* Whole conversations with a running controller, over six connections: five of clients, one of a node's
 * agent. An input is a list of messages (conversation.h); captured ones are the corpus. The controller must
 * answer afterwards, or have ended in order: a message may ask for that. It is a program of its own,
 * STOKERD or bin/stokerd beside this one, best built with sanitizers. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client.h"
#include "src/os/unixsock.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define CLIENTS            5
#define CONNS              (CLIENTS + 1)
#define CONVERSATION_CONNS CONNS
#include "tests/fuzz/conversation.h"

#define WAIT_MS 60000

static struct {
    char *home, *socket;
    pid_t owner, controller;
    int listener; /* in the place of an agent */
    int conn[CONNS];
    struct client *client; /* asks whether it lives */
} it = {.conn = {-1, -1, -1, -1, -1, -1}};

static void hang_up(void)
{
    for (int i = 0; i < CONNS; i++) {
        if (it.conn[i] >= 0)
            close(it.conn[i]);
        it.conn[i] = -1;
    }
}

static void stop(void)
{
    if (!it.home || getpid() != it.owner)
        return;
    if (it.controller > 0)
        kill(it.controller, SIGKILL);
    char *command = xasprintf("rm -rf '%s'", it.home);
    if (system(command) != 0)
        perror(it.home);
    free(command);
    free(it.home);
    free(it.socket);
    client_free(it.client);
    it.home = it.socket = NULL;
    it.client = NULL;
}

static void must(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz_controller: %s: %s\n", what, strerror(errno));
    stop();
    abort();
}

static char *program(void)
{
    char self[PATH_MAX];
    if (getenv("STOKERD"))
        return xstrdup(getenv("STOKERD"));
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    must(n > 0, "/proc/self/exe");
    self[n] = '\0';
    char *tests = strstr(self, "/tests/");
    must(tests, "it does not lie in a build directory");
    *tests = '\0';
    return xasprintf("%s/bin/stokerd", self);
}

static void begin(void)
{
    const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    it.home = xasprintf("%s/stoker-fuzz.XXXXXX", tmp);
    must(mkdtemp(it.home) != NULL, it.home);
    it.owner = getpid();
    atexit(stop);
    setenv("STOKER_HOME", it.home, 1);
    setenv("STOKER_REPORT_MS", "1", 1);
    char *config = xasprintf("%s/stoker.cfg", it.home), *agent = xasprintf("%s/agent.sock", it.home);
    FILE *f = fopen(config, "w");
    must(f != NULL, config);
    fprintf(f,
            "cluster = \"test\";\nnodes = ( { name = \"n1\"; transport = \"local\"; agent_socket = \"%s\"; "
            "cpus = 8; "
            "memory = \"8G\"; gpus = 4; detect = false; } );\n",
            agent);
    fclose(f);
    it.listener = unixsock_listen(agent, 0600, 8);
    must(it.listener >= 0, agent);
    it.socket = xasprintf("%s/run/controller.sock", it.home);
    signal(SIGPIPE, SIG_IGN);
    free(config);
    free(agent);
}

static void spawn(void)
{
    char *path = program();
    it.controller = fork();
    must(it.controller >= 0, "fork");
    if (it.controller == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        execl(path, "stokerd", (char *)NULL);
        perror(path);
        _exit(127);
    }
    free(path);
    struct errtext err = {""};
    int r = client_connect_wait("fuzz", 0, WAIT_MS, &it.client, &err);
    must(r == 0, err.s);
}

/* Whether it answers. One that has ended in order begins again with the next input. */
static void check_alive(void)
{
    enum msg_kind kind;
    void *body = NULL;
    struct errtext err = {""};
    if (client_call(it.client, MSG_STATS, NULL, &kind, &body, &err) == 0) {
        msg_free(kind, body);
        return;
    }
    client_free(it.client);
    it.client = NULL;
    int status = 0;
    for (int i = 0; i < 3000 && waitpid(it.controller, &status, WNOHANG) == 0; i++)
        usleep(1000);
    must(kill(it.controller, 0) < 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "the controller has crashed, or does not answer");
    it.controller = 0;
    hang_up();
}

static int connection(int i)
{
    if (it.conn[i] < 0)
        it.conn[i] = i < CLIENTS ? unixsock_connect(it.socket, SOCK_NONBLOCK, 0)
                                 : accept4(it.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return it.conn[i];
}

static void drain(int i)
{
    static char buf[1 << 16];
    ssize_t n = 1;
    while (it.conn[i] >= 0 && n > 0)
        n = recv(it.conn[i], buf, sizeof buf, MSG_DONTWAIT);
    if (it.conn[i] >= 0 && (n == 0 || errno != EAGAIN)) {
        close(it.conn[i]);
        it.conn[i] = -1;
    }
}

static void say(int i, const struct frame *f)
{
    struct str out = STR_INIT;
    int fd = connection(i);
    frame_append_header(&out, f->type, 0, f->tag, f->size);
    str_append_n(&out, (const char *)f->body, f->size);
    if (fd >= 0 && send(fd, out.s, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)out.len) {
        close(fd);
        it.conn[i] = -1;
    }
    str_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!it.home)
        begin();
    if (!it.controller)
        spawn();
    uint64_t tag = 0;
    struct said m;
    for (size_t at = 0; conversation_next(data, size, &at, &m);)
        say((int)m.conn, &(struct frame){.type = m.type, .tag = ++tag, .body = m.body, .size = m.n});
    check_alive();
    for (int i = 0; i < CONNS; i++)
        drain(i);
    return 0;
}
