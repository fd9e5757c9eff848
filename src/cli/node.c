/* node.c - stoker node: machines come in, go out, are taken out of use and back, get notes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/dirs.h"
#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/nodecheck.h"
#include "src/cli/nodeedit.h"
#include "src/conf/conf.h"

#define UP_WAIT_MS 60000

struct node_cmd {
    const struct cli *cli;
    struct paths paths;
    struct key_place keys; /* known once the configuration is */
    char *reason, *name, *address, *user, *identity, *accept, *memory, *type, *role;
    char *port, *cpus, *gpus;
    struct strv features;
    struct strv words; /* the verb and what follows it */
};

enum {
    O_REASON = 1,
    O_NAME,
    O_ADDRESS,
    O_PORT,
    O_USER,
    O_IDENTITY,
    O_ACCEPT,
    O_CPUS,
    O_MEMORY,
    O_GPUS,
    O_TYPE,
    O_FEATURES,
    O_ROLE
};

static const struct opt table[] = {
    {.id = O_REASON,
     .name = "reason",
     .letter = 'r',
     .arg = OPT_REQUIRED,
     .meta = "TEXT",
     .help = "drain: why; everybody sees it"},
    {.id = O_NAME,
     .name = "name",
     .arg = OPT_REQUIRED,
     .meta = "NAME",
     .help = "add, check: its name in the cluster, where that is not the host's"},
    {.id = O_ADDRESS,
     .name = "address",
     .arg = OPT_REQUIRED,
     .meta = "ADDRESS",
     .help = "add, check: where it is, where HOST is no name that can be looked up"},
    {.id = O_PORT,
     .name = "port",
     .letter = 'p',
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = "add, check: of its SSH server"},
    {.id = O_USER,
     .name = "user",
     .letter = 'l',
     .arg = OPT_REQUIRED,
     .meta = "NAME",
     .help = "add, check: who logs in there (USER@HOST says the same)"},
    {.id = O_IDENTITY,
     .name = "identity",
     .letter = 'i',
     .arg = OPT_REQUIRED,
     .meta = "FILE",
     .help = "add, check: the private key to log in with"},
    {.id = O_ACCEPT,
     .name = "accept",
     .arg = OPT_REQUIRED,
     .meta = "SHA256:...",
     .help = "add: the fingerprint of its host key, which you have compared"},
    {.id = O_CPUS,
     .name = "cpus",
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = "add: CPUs for jobs, where not all that are found"},
    {.id = O_MEMORY, .name = "memory", .arg = OPT_REQUIRED, .meta = "SIZE", .help = "add: memory for jobs"},
    {.id = O_GPUS, .name = "gpus", .arg = OPT_REQUIRED, .meta = "N", .help = "add: GPUs for jobs"},
    {.id = O_TYPE,
     .name = "gpu-type",
     .arg = OPT_REQUIRED,
     .meta = "NAME",
     .help = "add: what --gres=gpu:NAME:N asks for"},
    {.id = O_FEATURES,
     .name = "features",
     .arg = OPT_REQUIRED,
     .meta = "LIST",
     .help = "add: what --constraint asks for"},
    {.id = O_ROLE,
     .name = "role",
     .arg = OPT_REQUIRED,
     .meta = "compute|login",
     .help = "add: login: commands and screens work there, no jobs run"},
};

static int set_option(void *ctx, const struct opt *o, const char *arg,
                      __attribute__((unused)) struct errtext *err)
{
    struct node_cmd *n = ctx;
    char **const to[] = {[O_REASON] = &n->reason, [O_NAME] = &n->name, [O_ADDRESS] = &n->address,
                         [O_PORT] = &n->port,     [O_USER] = &n->user, [O_IDENTITY] = &n->identity,
                         [O_ACCEPT] = &n->accept, [O_CPUS] = &n->cpus, [O_MEMORY] = &n->memory,
                         [O_GPUS] = &n->gpus,     [O_TYPE] = &n->type, [O_ROLE] = &n->role};
    if (o->id == O_FEATURES) {
        strv_fini(&n->features);
        n->features = strv_split(arg, ", ");
        return 0;
    }
    free(*to[o->id]);
    *to[o->id] = xstrdup(arg);
    return 0;
}

static const struct opts options = OPTS(table, set_option);

/* --- drain, resume, note: the controller's --- */

/* The operands from the second on as names. Returns 0 or the exit code. */
static int expand_names(const struct node_cmd *n, size_t from, size_t to, struct strv *names)
{
    struct errtext err = {0};
    for (size_t i = from; i < to; i++) {
        struct strv some = {0};
        if (hostlist_expand(n->words.v[i], &some, &err) < 0) {
            cli_error(n->cli, "%s", err.s);
            return 2;
        }
        for (size_t k = 0; k < some.n; k++)
            strv_push(names, some.v[k]);
        strv_fini(&some);
    }
    if (names->n)
        return 0;
    cli_error(n->cli, "which nodes?");
    return 2;
}

static int ask_controller(const struct node_cmd *n, enum msg_kind kind, const void *body)
{
    struct client *c = ask_connect(n->cli);
    int rc = c ? ask_result(n->cli, c, kind, body, NULL) : EXIT_AWAY;
    client_free(c);
    return rc;
}

static int drain_or_resume(const struct node_cmd *n, bool drain)
{
    struct msg_drain body = {.drain = drain, .reason = xstrdup(n->reason)};
    int rc = expand_names(n, 1, n->words.n, &body.nodes);
    if (rc == 0 && drain && str_is_empty(n->reason)) {
        cli_error(n->cli, "give a reason, as in: %s drain %s --reason=\"fan broken\"", n->cli->name,
                  n->words.v[1]);
        rc = 2;
    }
    if (rc == 0)
        rc = ask_controller(n, MSG_DRAIN, &body);
    rec_fini(&msg_drain_rec, &body);
    return rc;
}

static int do_drain(struct node_cmd *n)
{
    return drain_or_resume(n, true);
}

static int do_resume(struct node_cmd *n)
{
    return drain_or_resume(n, false);
}

static int do_note(struct node_cmd *n)
{
    struct msg_node_note body = {0};
    if (n->words.n != 3) {
        cli_error(n->cli, "say: %s note NODES TEXT (an empty text takes the note away)", n->cli->name);
        return 2;
    }
    int rc = expand_names(n, 1, 2, &body.nodes);
    body.text = xstrdup(n->words.v[2]);
    if (rc == 0)
        rc = ask_controller(n, MSG_NODE_NOTE, &body);
    rec_fini(&msg_node_note_rec, &body);
    return rc;
}

/* --- where a machine is --- */

static bool is_word(const char *s)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *s && *s != '-' && strspn(s, good) == strlen(s);
}

static int parse_number(const struct node_cmd *n, const char *what, const char *text, uint32_t least,
                        uint32_t most, uint32_t *ret)
{
    char *end;
    unsigned long v = text ? strtoul(text, &end, 10) : 0;
    if (!text)
        return 0;
    if (end == text || *end || v < least || v > most || *text == '-') {
        cli_error(n->cli, "--%s: %s is no number from %u to %u", what, text, least, most);
        return 2;
    }
    *ret = (uint32_t)v;
    return 0;
}

/* A machine that is not in the configuration: from [USER@]HOST and the options. */
static int describe(const struct node_cmd *n, const char *host, struct node_spec *s)
{
    const char *at = strrchr(host, '@'), *bare = at ? at + 1 : host;
    *s = (struct node_spec){.port = 22, .gpus = UINT32_MAX, .detect = true};
    int rc = parse_number(n, "port", n->port, 1, 65535, &s->port);
    rc = rc ? rc : parse_number(n, "cpus", n->cpus, 1, CPUSET_MAX, &s->cpus);
    rc = rc ? rc : parse_number(n, "gpus", n->gpus, 0, CPUSET_MAX, &s->gpus);
    bool number = strspn(bare, "0123456789.") == strlen(bare) || strchr(bare, ':');
    s->name = n->name ? xstrdup(n->name) : number ? xstrdup("") : xstrndup(bare, strcspn(bare, "."));
    s->address = xstrdup(n->address ? n->address : bare);
    s->ssh_user = n->user ? xstrdup(n->user) : at ? xstrndup(host, (size_t)(at - host)) : NULL;
    s->identity = n->identity ? realpath(n->identity, NULL) : NULL;
    if (rc == 0 && n->identity && !s->identity) {
        cli_error(n->cli, "%s: %s", n->identity, strerror(errno));
        rc = 2;
    } else if (rc == 0 && !is_word(s->name)) {
        cli_error(n->cli,
                  number && !n->name ? "%s: give it a name with --name"
                                     : "%s gives no name of a node: use --name",
                  bare);
        rc = 2;
    } else if (rc == 0 &&
               (!utf8_is_clean_name(s->address, 253) || strpbrk(s->address, " \"\\%") || !*s->address)) {
        cli_error(n->cli, "%s is no address", bare);
        rc = 2;
    }
    return rc;
}

/* The configuration as it is now; what is wrong with it is said. */
static int load(struct node_cmd *n, struct cluster_spec *spec)
{
    struct errtext err = {""};
    if (access(n->paths.config, F_OK) < 0) {
        conf_default(spec);
    } else if (conf_load(n->paths.config, spec, &err) < 0) {
        cli_error(n->cli, "%s", err.s);
        return 1;
    }
    key_place_fini(&n->keys);
    key_place_find(&n->keys, &n->paths, spec);
    return 0;
}

static const struct node_spec *find_node(const struct cluster_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->nodes.n; i++)
        if (str_eq(spec->nodes.v[i].name, name))
            return &spec->nodes.v[i];
    return NULL;
}

/* --- the configuration file --- */

static char *read_text(const char *path)
{
    struct str s = STR_INIT;
    FILE *f = fopen(path, "re");
    char buf[4096];
    for (size_t k; f && (k = fread(buf, 1, sizeof buf, f)) > 0;)
        str_append_n(&s, buf, k);
    if (f)
        fclose(f);
    return str_take(&s);
}

/* Beside the old file, checked there, then in its place. A link stays a link. */
static int write_config(const struct node_cmd *n, const char *text)
{
    struct errtext err = {""};
    struct cluster_spec spec;
    struct stat st;
    char *real = realpath(n->paths.config, NULL);
    const char *path = real ? real : n->paths.config;
    char *tmp = xasprintf("%s.new", path);
    mode_t mode = stat(path, &st) == 0 ? st.st_mode & 0777 : 0644;
    dirs_above(path, 0755); /* the first one of a user; that it failed shows below */
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode), rc = 0;
    size_t len = strlen(text);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len || fchmod(fd, mode) < 0 || fsync(fd) < 0) {
        cli_error(n->cli, "cannot write %s: %s", tmp, strerror(errno));
        rc = 1;
    } else if (conf_load(tmp, &spec, &err) < 0) {
        cli_error(n->cli, "%s is left as it is, since this would be wrong: %s", path, err.s);
        rc = 1;
    } else {
        rec_fini(&cluster_spec_rec, &spec);
        if (rename(tmp, path) < 0) {
            cli_error(n->cli, "cannot write %s: %s", path, strerror(errno));
            rc = 1;
        }
    }
    if (fd >= 0)
        close(fd);
    if (rc)
        unlink(tmp);
    free(tmp);
    free(real);
    return rc;
}

static void append_key(struct str *e, const char *key, const char *value)
{
    if (!value)
        return;
    str_appendf(e, " %s = ", key);
    str_append_char(e, '"');
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            str_append_char(e, '\\');
        str_append_char(e, *p);
    }
    str_append(e, "\";");
}

static char *make_entry(const struct node_cmd *n, const struct node_spec *s)
{
    struct str e = STR_INIT;
    str_append_char(&e, '{');
    append_key(&e, "name", s->name);
    append_key(&e, "address", s->address);
    if (s->port != 22)
        str_appendf(&e, " port = %u;", s->port);
    append_key(&e, "ssh_user", s->ssh_user);
    append_key(&e, "identity", s->identity);
    if (n->cpus)
        str_appendf(&e, " cpus = %u;", s->cpus);
    append_key(&e, "memory", n->memory);
    if (n->gpus)
        str_appendf(&e, " gpus = %u;", s->gpus);
    append_key(&e, "gpu_type", n->type);
    append_key(&e, "role", n->role);
    if (s->own_files)
        str_append(&e, " own_files = true;");
    for (size_t i = 0; i < n->features.n; i++)
        str_appendf(&e, "%s\"%s\"%s", i ? ", " : " features = [", n->features.v[i],
                    i + 1 == n->features.n ? "];" : "");
    str_append(&e, " }");
    return str_take(&e);
}

/* Tells a controller that runs; one that does not reads the file when it starts. Returns an exit code;
 * *ret_c is the connection, NULL where none runs. */
static int reload(const struct node_cmd *n, struct client **ret_c)
{
    *ret_c = NULL;
    if (client_connect(n->cli->name, 0, ret_c, NULL) < 0)
        return 0;
    struct msg_none body = {0};
    return ask_result(n->cli, *ret_c, MSG_RELOAD, &body, NULL);
}

/* --- check, accept, key --- */

static int do_check(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec own = {0};
    if (n->words.n != 2) {
        cli_error(n->cli, "say: %s check HOST", n->cli->name);
        return 2;
    }
    int rc = load(n, &all);
    if (rc)
        return rc;
    const struct node_spec *known = find_node(&all, n->words.v[1]);
    if (known && str_eq(known->transport, "local")) {
        printf(
            "%s is this machine: nothing lies between it and the controller (stoker doctor looks at it)\n",
            known->name);
    } else {
        rc = known ? 0 : describe(n, n->words.v[1], &own);
        struct node_check c = {.spec = known ? known : &own, .is_new = !known};
        rc = rc ? rc : nodecheck_run(n->cli, &n->keys, &c);
        if (c.unknown_key && !known)
            printf("it is no node yet: if that is its key, %s add %s --accept=%s ... takes both\n",
                   n->cli->name, n->words.v[1], c.unknown_key);
        free(c.unknown_key);
    }
    rec_fini(&node_spec_rec, &own);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

static int do_accept(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec own = {0};
    struct client *c = NULL;
    if (n->words.n != 3 || !str_starts(n->words.v[2], "SHA256:")) {
        cli_error(n->cli, "say: %s accept NODE SHA256:... (the fingerprint that the machine itself shows)",
                  n->cli->name);
        return 2;
    }
    int rc = load(n, &all);
    if (rc)
        return rc;
    const struct node_spec *known = find_node(&all, n->words.v[1]);
    rc = known ? 0 : describe(n, n->words.v[1], &own);
    struct node_check k = {.spec = known ? known : &own, .accept = n->words.v[2], .only_failures = true};
    rc = rc ? rc : nodecheck_need_key(n->cli, &n->keys, k.spec);
    rc = rc ? rc : nodecheck_run(n->cli, &n->keys, &k);
    int told = rc == 0 || k.key_known ? reload(n, &c) : 0;
    if (k.key_known)
        printf("the host key of %s is known now\n", n->words.v[1]);
    rc = rc ? rc : told;
    client_free(c);
    free(k.unknown_key);
    rec_fini(&node_spec_rec, &own);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

/* Where nodes are closed up, its line for them is the one that stoker init --node writes. */
static int do_key(struct node_cmd *n)
{
    struct node_spec none = {0};
    struct cluster_spec all;
    int rc = load(n, &all);
    if (rc)
        return rc;
    rc = nodecheck_need_key(n->cli, &n->keys, &none);
    struct strv keys = nodecheck_keys(&n->keys, &none);
    if (rc == 0 && keys.n) {
        char *pub = xasprintf("%s.pub", keys.v[0]), *text = read_text(pub);
        printf(n->keys.apart
                   ? "The controller logs in with %s. On each node, as root: stoker init --node=NAME "
                     "--key='LINE' with this line:\n%s"
                   : "The controller logs in with %s. This line belongs into ~/.ssh/authorized_keys on "
                     "each node:\n%s",
               keys.v[0], text);
        free(pub);
        free(text);
    }
    strv_fini(&keys);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

/* --- add, remove --- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 1: up, 0: not yet; the exit code where it cannot be asked, negative. */
static int look(const struct node_cmd *n, struct client *c, const char *name, bool *told)
{
    struct model m;
    struct msg_get get = {.what = GET_SPEC | GET_NODES};
    int rc = ask_fetch(n->cli, c, &get, &m);
    const struct node *node = rc ? NULL : model_get_node(&m, name);
    bool up = node && node->state == NODE_UP;
    if (up)
        printf("%s is up: %u CPUs, %llu MiB, %u GPUs\n", name, node->cpus,
               (unsigned long long)node->mem_mib, node->gpus);
    else if (node && node->trouble && !*told) {
        printf("%s: %s\n", name, node->trouble);
        *told = true;
    }
    model_fini(&m);
    return rc ? -rc : up;
}

static int wait_up(const struct node_cmd *n, struct client *c, const char *name)
{
    int64_t end = now_ms() + UP_WAIT_MS;
    bool told = false;
    const struct timespec pause = {.tv_nsec = 100000000};
    for (;;) {
        int r = look(n, c, name, &told);
        if (r)
            return r > 0 ? 0 : -r;
        if (now_ms() > end)
            break;
        nanosleep(&pause, NULL);
    }
    cli_error(n->cli, "%s is in the configuration and not up yet: stoker nodes says why", name);
    return EXIT_TIMED_OUT;
}

/* A host key that nobody has vouched for: asked on a terminal. */
static bool user_vouches(const struct node_check *k)
{
    char answer[16] = "";
    if (!k->unknown_key || k->accept || !isatty(0) || !isatty(1))
        return false;
    printf("Is %s the key of that machine? Compare it with what `ssh-keygen -lf "
           "/etc/ssh/ssh_host_ed25519_key.pub` "
           "says there. [y/N] ",
           k->unknown_key);
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int check_new(struct node_cmd *n, struct node_spec *s)
{
    struct node_check k = {.spec = s, .accept = n->accept, .is_new = true};
    int rc = nodecheck_need_key(n->cli, &n->keys, s);
    rc = rc ? rc : nodecheck_run(n->cli, &n->keys, &k);
    if (rc && user_vouches(&k)) {
        struct node_check again = {.spec = s, .accept = k.unknown_key, .is_new = true};
        rc = nodecheck_run(n->cli, &n->keys, &again);
        k.own_files = again.own_files;
        free(again.unknown_key);
    } else if (rc && k.unknown_key && !n->accept) {
        cli_error(n->cli, "if that is its key: %s add %s --accept=%s ...", n->cli->name, n->words.v[1],
                  k.unknown_key);
    }
    free(k.unknown_key);
    s->own_files = k.own_files;
    return rc;
}

static bool in_partition(const struct cluster_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->parts.n; i++)
        if (strv_has(&spec->parts.v[i].nodes, name))
            return true;
    return false;
}

static int insert(struct node_cmd *n, const struct cluster_spec *before, const struct node_spec *s)
{
    struct errtext err = {""};
    struct str text = STR_INIT;
    struct cluster_spec after;
    char *old = read_text(n->paths.config), *entry = make_entry(n, s);
    /* Where no list is written this machine is the only node: it stays one. */
    char *first = before->nodes.n == 1
                      ? xasprintf("{ name = \"%s\"; transport = \"local\"; }", before->nodes.v[0].name)
                      : NULL;
    int rc = nodeedit_add(&text, old, entry, first, &err);
    if (rc < 0)
        cli_error(n->cli, "%s: %s", n->paths.config, err.s);
    rc = rc < 0 ? 1 : write_config(n, text.s);
    if (rc == 0)
        rc = load(n, &after);
    if (rc == 0) {
        printf("%s is in %s%s\n", s->name, n->paths.config,
               s->own_files ? ", with own_files: files are not shared with it" : "");
        if (!in_partition(&after, s->name) && !str_eq(n->role, "login"))
            printf("no partition has it: add it to the `nodes` of one there\n");
        rec_fini(&cluster_spec_rec, &after);
    }
    str_fini(&text);
    free(old);
    free(entry);
    free(first);
    return rc;
}

static int do_add(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec s = {0};
    struct client *c = NULL;
    if (n->words.n != 2) {
        cli_error(n->cli, "say: %s add [USER@]HOST", n->cli->name);
        return 2;
    }
    int rc = load(n, &all);
    if (rc)
        return rc;
    rc = describe(n, n->words.v[1], &s);
    if (rc == 0 && find_node(&all, s.name)) {
        cli_error(n->cli, "there is a node %s already: %s check %s, or another --name", s.name,
                  n->cli->name, s.name);
        rc = EXIT_REFUSED;
    }
    rc = rc ? rc : check_new(n, &s);
    rc = rc ? rc : insert(n, &all, &s);
    rc = rc ? rc : reload(n, &c);
    if (rc == 0 && c)
        rc = wait_up(n, c, s.name);
    else if (rc == 0)
        puts("no controller runs: it is used as soon as one does (stoker up)");
    client_free(c);
    rec_fini(&node_spec_rec, &s);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

static int do_remove(struct node_cmd *n)
{
    struct strv names = {0};
    struct client *c = NULL;
    struct cluster_spec all = {0};
    char *text = read_text(n->paths.config);
    int rc = expand_names(n, 1, n->words.n, &names);
    rc = rc ? rc : load(n, &all);
    for (size_t i = 0; rc == 0 && i < names.n; i++)
        if (!find_node(&all, names.v[i])) {
            cli_error(n->cli, "there is no node %s", names.v[i]);
            rc = EXIT_NOT_FOUND;
        }
    rec_fini(&cluster_spec_rec, &all);
    for (size_t i = 0; rc == 0 && i < names.n; i++) {
        struct errtext err = {""};
        struct str out = STR_INIT;
        int r = nodeedit_remove(&out, text, names.v[i], &err);
        if (r < 0) {
            cli_error(n->cli, "%s: %s: take it out there by hand, then: scontrol reconfigure",
                      n->paths.config, err.s);
            rc = r == -ENOENT ? EXIT_NOT_FOUND : 1;
        }
        free(text);
        text = str_take(&out);
    }
    rc = rc ? rc : write_config(n, text);
    rc = rc ? rc : reload(n, &c);
    if (rc == 0)
        printf("%zu node%s out of %s; jobs that run there are served until they end\n", names.n,
               names.n == 1 ? "" : "s", n->paths.config);
    client_free(c);
    strv_fini(&names);
    free(text);
    return rc;
}

/* --- */

static const struct verb {
    const char *name;
    int (*run)(struct node_cmd *n);
} verbs[] = {{"check", do_check},   {"add", do_add},   {"remove", do_remove}, {"drain", do_drain},
             {"resume", do_resume}, {"note", do_note}, {"accept", do_accept}, {"key", do_key}};

static int node_run(struct cli *cli, int argc, char **argv)
{
    struct node_cmd n = {.cli = cli};
    int rc = 0;
    if (cli_parse(cli, &n, argc, argv, 0, &n.words, &rc)) {
        const struct verb *verb = NULL;
        for (size_t i = 0; n.words.n && i < sizeof verbs / sizeof *verbs; i++)
            if (strcmp(n.words.v[0], verbs[i].name) == 0)
                verb = &verbs[i];
        paths_find(&n.paths);
        if (verb) {
            rc = verb->run(&n);
        } else {
            cli_error(cli, "say check, add, remove, drain, resume, note, accept or key, and which nodes");
            rc = 2;
        }
        paths_fini(&n.paths);
        key_place_fini(&n.keys);
    }
    char *texts[] = {n.reason, n.name, n.address, n.user, n.identity, n.accept,
                     n.memory, n.type, n.role,    n.port, n.cpus,     n.gpus};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    strv_fini(&n.features);
    strv_fini(&n.words);
    return rc;
}

const struct command cmd_node = {
    .name = "node",
    .summary = "Add machines and take them out, drain and resume them",
    .usage = "check|add|accept|remove|drain|resume|note|key [NODES] [OPTIONS]",
    .options = &options,
    .run = node_run,
};
