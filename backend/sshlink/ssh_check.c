/* ssh_check.c - one line to one machine, told step by step. */
#include "backend/sshlink/ssh_check.h"

#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend/sshlink/node_ssh.h"
#include "backend/sshlink/ssh_keys.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/privdrop.h"
#include "src/proto/probe.h"

#define DISK_MIN_MIB  64
#define SPOOL_MIN_MIB 32
#define CLOCK_OFF_S   60
#define TEXT_MAX      4096 /* bytes of a text in a line */

struct ssh_check {
    struct loop *loop;
    struct ssh_order to;
    struct keys *cache;
    char *accept, *shared, *keys; /* keys: their directory in shared mode, else NULL */
    char *used;                   /* the file of the key that was let in */
    bool failed, connected, key_known, logged_in;
};

/* One line, four fields: a tab or a line break in a text of the peer would make others of them. */
static void ssh_check_say(const char *what, const char *verdict, const char *text, const char *cure)
{
    char *one = xstrdup(text), *two = xstrdup(cure ? cure : "");
    utf8_clean(one, TEXT_MAX);
    utf8_clean(two, TEXT_MAX);
    printf("%s\t%s\t%s\t%s\n", what, verdict, one, two);
    fflush(stdout);
    free(one);
    free(two);
}

static void ssh_check_fail(struct ssh_check *c, const char *what, const char *text, const char *cure)
{
    ssh_check_say(what, "fail", text, cure);
    c->failed = true;
}

/* --- what the shell there says: NAME=VALUE --- */

/* The value of name, cut off in *copy; "" where there is none. */
static const char *ssh_check_value(const char *text, const char *name, char copy[static 256])
{
    size_t n = strlen(name);
    copy[0] = '\0';
    for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && p[n] == '=') {
            snprintf(copy, 256, "%.*s", (int)strcspn(p + n + 1, "\n"), p + n + 1);
            break;
        }
    utf8_clean(copy, 255);
    return copy;
}

static void look_at_machine(struct ssh_check *c, const char *out)
{
    char a[256], b[256], text[1024];
    struct utsname here;
    uname(&here);
    if (strcmp(ssh_check_value(out, "arch", a), here.machine) != 0) {
        snprintf(text, sizeof text, "%s, and the programs here are for %s", a, here.machine);
        ssh_check_fail(c, "machine", text, "a node must be of the controller's type");
        return;
    }
    snprintf(text, sizeof text, "%s, %s", a, ssh_check_value(out, "os", b));
    ssh_check_say("machine", "ok", text, NULL);
}

/* A key that runs the bridge alone: what is there beside it is the owner's, not ours to put there. */
static bool is_closed(const char *out)
{
    char a[256];
    return strcmp(ssh_check_value(out, "closed", a), "yes") == 0;
}

/* In shared mode jobs run as their submitters: the agent is root's service, and a key that opens a shell is
 * more than the controller may have. */
static void look_at_open_key(struct ssh_check *c)
{
    struct errtext err = {""};
    ssh_key key = keys_get(c->cache, c->used, &err);
    char *line = key ? keys_public_line(key) : xstrdup("the line that `stoker node key` prints");
    char *cure = keys_node_cure(c->to.node, line),
         *text = xasprintf("the key opens a shell for %s", c->to.user);
    ssh_check_fail(c, "agent", text, cure);
    free(text);
    free(cure);
    free(line);
}

static void look_at_agent(struct ssh_check *c, const char *out)
{
    char agent[256], text[1024];
    if (!*ssh_check_value(out, "agent", agent)) {
        ssh_check_say("agent", "ok", "the key runs the bridge alone, which starts it", NULL);
    } else if (strcmp(agent, "ok") == 0) {
        ssh_check_say("agent", "ok", "its service answers, and the key reaches nothing else", NULL);
    } else {
        snprintf(text, sizeof text, "its service does not answer: %s", agent);
        ssh_check_fail(c, "agent", text, "systemctl status stoker-agent, there");
    }
}

static void look_at_user(const char *out)
{
    char uid[256], user[256], text[1024], agent[256];
    const struct passwd *pw = getpwnam(ssh_check_value(out, "user", user));
    ssh_check_value(out, "uid", uid);
    snprintf(text, sizeof text, "%s (uid %s)%s", user, uid,
             *ssh_check_value(out, "agent", agent) ? ": reaches the agent"
             : strcmp(uid, "0") == 0               ? ": runs every user's jobs"
                                                   : ": runs this user's jobs");
    char here[32];
    snprintf(here, sizeof here, "%u", pw ? (unsigned)pw->pw_uid : 0);
    if (pw && strcmp(here, uid) != 0) {
        snprintf(text, sizeof text, "%s is uid %s there and uid %s here", user, uid, here);
        ssh_check_say("user", "note", text,
                      "jobs are started by name, uid and group: they must be the same everywhere");
        return;
    }
    ssh_check_say("user", "ok", text, NULL);
}

static void look_at_disk(struct ssh_check *c, const char *out)
{
    char dir[256], left[256], text[1024];
    ssh_check_value(out, "dir", dir);
    long long mib = atoll(ssh_check_value(out, "free", left)) / 1024;
    if (strcmp(ssh_check_value(out, "write", left), "yes") != 0) {
        snprintf(text, sizeof text, "%s cannot be written, or no program in it be run", dir);
        ssh_check_fail(c, "disk", text,
                       "give the user a directory there: XDG_CACHE_HOME and XDG_STATE_HOME name others");
        return;
    }
    snprintf(text, sizeof text, "%lld MiB free in %s", mib, dir);
    if (mib < DISK_MIN_MIB)
        ssh_check_fail(c, "disk", text, "make room: the agent and the output of jobs lie there");
    else
        ssh_check_say("disk", "ok", text, NULL);
}

/* Where its agent keeps tasks and outputs: it takes no more jobs where that is almost full. */
static void look_at_spool(struct ssh_check *c, const char *out)
{
    char dir[256], left[256], text[1024];
    ssh_check_value(out, "spool", dir);
    if (!*ssh_check_value(out, "spool_free", left))
        return;
    long long mib = atoll(left) / 1024;
    snprintf(text, sizeof text, "%lld MiB free in %s", mib, dir);
    if (mib < SPOOL_MIN_MIB)
        ssh_check_fail(
            c, "spool", text,
            "make room, or name another directory with XDG_STATE_HOME: below 16 MiB the node is drained");
    else
        ssh_check_say("spool", "ok", text, NULL);
}

static void look_at_room(struct ssh_check *c, const char *out)
{
    look_at_disk(c, out);
    look_at_spool(c, out);
}

static void look_at_files(const struct ssh_check *c, const char *out)
{
    char seen[256];
    if (!c->shared || is_closed(out))
        return;
    if (strcmp(ssh_check_value(out, "shared", seen), "yes") == 0)
        ssh_check_say("files", "ok", "what is written in this directory is there too", NULL);
    else
        ssh_check_say(
            "files", "note", "what is written in this directory is not there",
            "own_files = true: scripts travel with the job, output files stay there and are fetched when "
            "a user reads them; files that a job reads must be there");
}

static void look_at_clock(const char *out)
{
    char now[256], text[128];
    long long off = atoll(ssh_check_value(out, "now", now)) - wall_read().ms / MS_PER_S;
    snprintf(text, sizeof text, "%+lld s from here", off);
    if (off > CLOCK_OFF_S || off < -CLOCK_OFF_S)
        ssh_check_say("clock", "note", text,
                      "nothing is measured by it, but times in outputs will look odd: use NTP");
    else
        ssh_check_say("clock", "ok", text, NULL);
}

static void look_at_rest(const char *out)
{
    char a[256], text[512];
    ssh_check_value(out, "cgroup", a);
    if (is_closed(out)) /* it is the bridge's, not the agent's */
        a[0] = '\0';
    else if (strcmp(a, "v2") == 0)
        ssh_check_say("cgroup", "ok", "v2, writable: the kernel keeps memory limits", NULL);
    else if (strcmp(a, "v1") == 0)
        ssh_check_say("cgroup", "ok", "v1, writable: the kernel keeps memory limits", NULL);
    else
        ssh_check_say("cgroup", "note",
                      strcmp(a, "readonly") == 0
                          ? "v2, not delegated to this user: memory is measured and kept by the agent"
                          : "none that can be written to: memory is measured and kept by the agent",
                      "as root, or with a delegated group, the kernel keeps the limits");
    ssh_check_say("cpus", "ok", ssh_check_value(out, "cpus", a), NULL);
    long long kib = atoll(ssh_check_value(out, "memory", a));
    snprintf(text, sizeof text, "%lld MiB", kib / 1024);
    ssh_check_say("memory", "ok", text, NULL);
    ssh_check_value(out, "gpus", a);
    ssh_check_say("gpus", "ok", *a ? a : "0", NULL);
}

static char *make_probe(const char *shared)
{
    return xasprintf(
        "%sexec /bin/sh -c '%sif [ -e \"%s\" ]; then echo shared=yes; else echo shared=no; fi'", PROBE_MARK,
        PROBE_SCRIPT, shared ? shared : "/");
}

/* --- the line --- */

static void ssh_check_on_phase(__attribute__((unused)) void *ctx,
                               __attribute__((unused)) struct node_ssh *ns,
                               __attribute__((unused)) enum ssh_phase phase)
{
}

static void ssh_check_on_connected(__attribute__((unused)) void *ctx, struct node_ssh *ns)
{
    node_ssh_shake(ns);
}

static void ssh_check_on_step(void *ctx, __attribute__((unused)) struct node_ssh *ns,
                              enum node_ssh_step step, const char *text)
{
    struct ssh_check *c = ctx;
    char s[512];
    switch (step) {
    case NODE_SSH_CONNECTED:
        c->connected = true;
        ssh_check_say("name", "ok", text, NULL);
        snprintf(s, sizeof s, "%u answers", c->to.port);
        ssh_check_say("port", "ok", s, NULL);
        break;
    case NODE_SSH_KEY_KNOWN:
        c->key_known = true;
        ssh_check_say("host key", "ok", text, NULL);
        break;
    case NODE_SSH_LOGGED_IN:
        c->logged_in = true;
        xstrset(&c->used, text);
        snprintf(s, sizeof s, "%s, with %s", c->to.user, text);
        ssh_check_say("login", "ok", s, NULL);
        break;
    case NODE_SSH_ASKED: break;
    }
}

/* A text of the form "what is wrong: its cure" is told in two parts. */
static void tell_fault(struct ssh_check *c, enum ssh_fault fault, const char *text)
{
    static const char *const what[SSH_N_FAULTS] = {
        [SSH_FAULT_NAME] = "name",
        [SSH_FAULT_CONNECT] = "port",
        [SSH_FAULT_HANDSHAKE] = "ssh",
        [SSH_FAULT_HOSTKEY_UNKNOWN] = "host key",
        [SSH_FAULT_HOSTKEY_CHANGED] = "host key",
        [SSH_FAULT_LOGIN] = "login",
    };
    static const char *const cure[SSH_N_FAULTS] = {
        [SSH_FAULT_NAME] = "give an address that this machine knows: --address",
        [SSH_FAULT_CONNECT] =
            "is the machine on, does sshd run there, is the port right (--port), and open in "
            "the firewall?",
        [SSH_FAULT_HANDSHAKE] = "is there an SSH server at this port?",
    };
    const char *name = what[fault] ? what[fault] : "shell";
    const char *parts =
        fault == SSH_FAULT_HOSTKEY_UNKNOWN || fault == SSH_FAULT_HOSTKEY_CHANGED || fault == SSH_FAULT_LOGIN
            ? strstr(text, ": ")
            : NULL;
    char *first = parts ? xstrndup(text, (size_t)(parts - text)) : xstrdup(text);
    ssh_check_fail(c, name, first, parts ? parts + 2 : cure[fault]);
    free(first);
}

static void ssh_check_on_over(void *ctx, struct node_ssh *ns, enum ssh_fault fault, const char *text)
{
    struct ssh_check *c = ctx;
    const char *out = node_ssh_output(ns);
    char a[256];
    loop_stop(c->loop);
    if (fault != SSH_FAULT_NONE) {
        tell_fault(c, fault, text);
    } else if (!*ssh_check_value(out, "uid", a)) {
        ssh_check_fail(c, "shell", "its login shell runs no command", "the user needs a POSIX shell there");
    } else {
        look_at_machine(c, out);
        look_at_user(out);
        if (is_closed(out))
            look_at_agent(c, out);
        else if (c->keys)
            look_at_open_key(c);
        else
            look_at_room(c, out);
        look_at_files(c, out);
        look_at_clock(out);
        look_at_rest(out);
    }
}

static const struct node_ssh_ops ops = {.on_phase = ssh_check_on_phase,
                                        .on_connected = ssh_check_on_connected,
                                        .on_step = ssh_check_on_step,
                                        .on_over = ssh_check_on_over};

static bool ssh_check_set_option(struct ssh_check *c, const char *word)
{
    struct {
        const char *name;
        char **to;
    } texts[] = {{"node=", &c->to.node},  {"address=", &c->to.address},         {"user=", &c->to.user},
                 {"accept=", &c->accept}, {"known_hosts=", &c->to.known_hosts}, {"shared=", &c->shared},
                 {"keys=", &c->keys}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (str_starts(word, texts[i].name)) {
            xstrset(texts[i].to, word + strlen(texts[i].name));
            return true;
        }
    if (str_starts(word, "identity="))
        strv_push(&c->to.identities, word + 9);
    else if (str_starts(word, "port="))
        c->to.port = (uint32_t)strtoul(word + 5, NULL, 10);
    else
        return false;
    return true;
}

/* It stands in double quotes in the probe. */
static bool is_harmless(const char *path)
{
    return !path || !strpbrk(path, "\"'\\$`\n");
}

int check_run(int argc, char **argv)
{
    struct ssh_check c = {.to = {.port = 22}};
    bool good = true;
    for (int i = 0; i < argc; i++)
        good = good && ssh_check_set_option(&c, argv[i]);
    good = good && c.to.node && c.to.address && c.to.user && c.to.known_hosts && is_harmless(c.shared);
    struct errtext err = {""};
    if (good && c.keys && privdrop_to_owner(c.keys, &err) < 0) {
        fprintf(stderr, "stoker-link: %s\n", err.s);
        good = false;
    }
    if (good) {
        struct keys keys = {0};
        c.cache = &keys;
        char *command = make_probe(c.shared);
        struct node_ssh_config cfg = {.to = c.to,
                                      .keys = &keys,
                                      .peer = -1,
                                      .command = command,
                                      .accept = c.accept,
                                      .is_shared = c.keys != NULL};
        signal(SIGPIPE, SIG_IGN);
        c.loop = loop_new();
        node_ssh_start(node_ssh_new(c.loop, &cfg, &ops, &c));
        loop_run(c.loop);
        loop_free(c.loop);
        keys_fini(&keys);
        free(command);
    }
    rec_fini(&ssh_order_rec, &c.to);
    free(c.accept);
    free(c.shared);
    free(c.keys);
    free(c.used);
    return good ? c.failed : 2;
}
