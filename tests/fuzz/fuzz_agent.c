/* Whole conversations with a running agent, over four connections: that of its controller, which has
 * greeted, another peer, and two commands of the node. An input is a list of messages (conversation.h). The
 * agent must answer afterwards, or have ended in order, which a message may ask for. It is a separate
 * program, a copy of STOKER_AGENT or of bin/stoker-agent beside this program, best built with sanitizers.
 * It starts true(1) instead of the supervisors, so that no input can run a command. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "src/proto/frame.h"

#define CONVERSATION_CONNS 4
#include "tests/fuzz/conversation.h"

#define COMMANDS 2 /* connections from there on are those of commands */
#define WAIT_MS  60000

static struct {
    char *home, *program, *socket, *clients;
    pid_t owner, agent;
    int conn[CONVERSATION_CONNS];
    struct frame_reader in; /* of the controller's connection */
} it = {.conn = {-1, -1, -1, -1}};

static void stop(void)
{
    if (!it.home || getpid() != it.owner)
        return;
    if (it.agent > 0)
        kill(it.agent, SIGKILL);
    char *command = xasprintf("rm -rf '%s'", it.home);
    if (system(command) != 0)
        perror(it.home);
    free(command);
    free(it.program);
    free(it.socket);
    free(it.clients);
    free(it.home);
    frame_reader_fini(&it.in);
    it.home = NULL;
}

static void must(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz_agent: %s: %s\n", what, strerror(errno));
    stop();
    abort();
}

static char *agent_beside(void)
{
    char self[PATH_MAX];
    if (getenv("STOKER_AGENT"))
        return xstrdup(getenv("STOKER_AGENT"));
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    must(n > 0, "/proc/self/exe");
    self[n] = '\0';
    char *tests = strstr(self, "/tests/");
    must(tests, "it does not lie in a build directory");
    *tests = '\0';
    return xasprintf("%s/bin/stoker-agent", self);
}

static void begin(void)
{
    const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    it.home = xasprintf("%s/st-fuzz.XXXXXX", tmp);
    must(mkdtemp(it.home) != NULL, it.home);
    it.owner = getpid();
    atexit(stop);
    char *from = agent_beside();
    char *command =
        xasprintf("cp '%s' '%s/stoker-agent' && cp /bin/true '%s/stoker-shim'", from, it.home, it.home);
    must(system(command) == 0, command);
    free(command);
    free(from);
    it.program = xasprintf("%s/stoker-agent", it.home);
    it.socket = xasprintf("%s/dir/agent.sock", it.home);
    it.clients = xasprintf("%s/dir/client.sock", it.home);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void hang_up(int i)
{
    if (it.conn[i] >= 0)
        close(it.conn[i]);
    it.conn[i] = -1;
    if (i == 0)
        frame_reader_fini(&it.in);
}

static void spawn(void)
{
    char *dir = xasprintf("%s/dir", it.home), *log = xasprintf("%s/log", it.home);
    it.agent = fork();
    must(it.agent >= 0, "fork");
    if (it.agent == 0) {
        execl(it.program, "stoker-agent", "--node", "n1", "--dir", dir, "--log", log, (char *)NULL);
        perror(it.program);
        _exit(127);
    }
    free(dir);
    free(log);
    int fd = -1;
    for (int i = 0; i < WAIT_MS && (fd = unixsock_connect(it.socket, SOCK_NONBLOCK, 0)) < 0; i++)
        poll(NULL, 0, 1);
    must(fd >= 0, it.socket);
    close(fd);
}

static bool send_frame(int i, uint16_t type, uint64_t tag, const uint8_t *body, size_t n)
{
    struct str out = STR_INIT;
    frame_append_header(&out, type, 0, tag, n);
    str_append_n(&out, (const char *)body, n);
    bool sent = it.conn[i] >= 0 &&
                send(it.conn[i], out.s, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)out.len;
    str_fini(&out);
    return sent;
}

/* Reads what the controller's connection has, until a frame of that type and tag. */
static bool await(uint16_t type, uint64_t tag, struct frame *f)
{
    for (;;) {
        int r = frame_reader_next(&it.in, f);
        if (r > 0 && f->type == type && f->tag == tag)
            return true;
        if (r > 0)
            continue;
        struct pollfd p = {.fd = it.conn[0], .events = POLLIN};
        if (r < 0 || poll(&p, 1, WAIT_MS) <= 0)
            return false;
        ssize_t n = recv(it.conn[0], frame_reader_space(&it.in, 65536), 65536, 0);
        if (n <= 0)
            return false;
        frame_reader_added(&it.in, (size_t)n);
    }
}

enum greeting { GREETED, REFUSED, SILENT };

static enum greeting greet(void)
{
    char node[] = "n1", program[] = "fuzz", cluster[] = "fuzz";
    struct msg_hello h = {.version = PROTO_VERSION,
                          .program = program,
                          .cluster = cluster,
                          .epoch = 1,
                          .incarnation = 1,
                          .node = node,
                          .spec = {.name = node, .gpus = UINT32_MAX}};
    struct str out = STR_INIT;
    hang_up(0);
    it.conn[0] = unixsock_connect(it.socket, SOCK_NONBLOCK, 0);
    msg_append(&out, MSG_HELLO, 1, &h);
    bool sent = it.conn[0] >= 0 && send(it.conn[0], out.s, out.len, MSG_NOSIGNAL) == (ssize_t)out.len;
    str_fini(&out);
    struct frame f;
    struct errtext err;
    void *body = NULL;
    if (!sent || !await(MSG_AGENT, 1, &f))
        return SILENT;
    must(msg_decode(&f, &body, &err) == 0, "the agent's report cannot be read");
    bool refused = ((const struct msg_agent *)body)->refused != NULL;
    msg_free(MSG_AGENT, body);
    return refused ? REFUSED : GREETED;
}

/* Its next life knows no other controller. */
static void forget(void)
{
    char *command = xasprintf("rm -rf '%s/dir' '%s/log'", it.home, it.home);
    must(system(command) == 0, command);
    free(command);
    it.agent = 0;
    for (int i = 0; i < CONVERSATION_CONNS; i++)
        hang_up(i);
}

/* An agent that has ended in order is started again for the next input. */
static void check_alive(void)
{
    static uint64_t tag = UINT64_C(1) << 32;
    struct frame f;
    int status = 0;
    bool lives = send_frame(0, MSG_PING, ++tag, (const uint8_t *)"\x90", 1) && await(MSG_PONG, tag, &f);
    /* A message that is none closes the connection, and that alone. */
    enum greeting g = lives ? GREETED : greet();
    if (g == GREETED)
        return;
    if (g == REFUSED) /* an input was another controller, of a later epoch */
        kill(it.agent, SIGTERM);
    for (int i = 0; i < WAIT_MS && waitpid(it.agent, &status, WNOHANG) == 0; i++)
        poll(NULL, 0, 1);
    bool in_order = kill(it.agent, 0) < 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    char *command = xasprintf("tail -n 60 '%s/log' >&2", it.home);
    if (!in_order && system(command) != 0)
        perror(command);
    free(command);
    must(in_order, "the agent has crashed, or does not answer");
    forget();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct said m;
    static char waste[1 << 16];
    if (!it.home)
        begin();
    if (!it.agent)
        spawn();
    if (it.conn[0] < 0)
        must(greet() == GREETED, "the agent does not greet");
    uint64_t tag = 1;
    for (size_t at = 0; conversation_next(data, size, &at, &m);) {
        int i = (int)m.conn;
        if (it.conn[i] < 0 && i)
            it.conn[i] = unixsock_connect(i < COMMANDS ? it.socket : it.clients, SOCK_NONBLOCK, 0);
        if (!send_frame(i, m.type, ++tag, m.body, m.n) && i)
            hang_up(i);
    }
    check_alive();
    for (int i = 1; i < CONVERSATION_CONNS; i++)
        while (it.conn[i] >= 0 && recv(it.conn[i], waste, sizeof waste, MSG_DONTWAIT) > 0)
            ;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    return 0;
}
