/* nodesetup.c - stoker node check, accept, key, add, remove: machines come in and go out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/format.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/setup/nodecmd.h"
#include "src/cli/setup/nodeedit.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/file.h"

#define UP_WAIT_MS 60000

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

int node_do_check(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec own = {0};
    if (n->words.n != 2) {
        cli_error(n->cli, tr("say: %s check HOST"), n->cli->name);
        return 2;
    }
    int rc = node_load_config(n, &all);
    if (rc)
        return rc;
    const struct node_spec *known = spec_find_node(&all, n->words.v[1]);
    if (known && str_eq(known->transport, "local")) {
        printf(tr("%s is this machine: nothing lies between it and the controller (stoker doctor looks at "
                  "it)\n"),
               known->name);
    } else {
        rc = known ? 0 : node_describe(n, n->words.v[1], &own);
        struct node_check c = {.spec = known ? known : &own, .is_new = !known};
        rc = rc ? rc : nodecheck_run(n->cli, &n->keys, &c);
        if (c.unknown_key && !known)
            printf(tr("it is not a node yet: if that is its key, %s add %s --accept=%s ... takes both\n"),
                   n->cli->name, n->words.v[1], c.unknown_key);
        free(c.unknown_key);
    }
    rec_fini(&node_spec_rec, &own);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

int node_do_accept(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec own = {0};
    struct client *c = NULL;
    if (n->words.n != 3 || !str_starts(n->words.v[2], "SHA256:")) {
        cli_error(n->cli,
                  tr("say: %s accept NODE SHA256:... (the fingerprint that the machine itself shows)"),
                  n->cli->name);
        return 2;
    }
    int rc = node_load_config(n, &all);
    if (rc)
        return rc;
    const struct node_spec *known = spec_find_node(&all, n->words.v[1]);
    rc = known ? 0 : node_describe(n, n->words.v[1], &own);
    struct node_check k = {.spec = known ? known : &own, .accept = n->words.v[2], .only_failures = true};
    rc = rc ? rc : nodecheck_need_key(n->cli, &n->keys, k.spec);
    rc = rc ? rc : nodecheck_run(n->cli, &n->keys, &k);
    int told = rc == 0 || k.key_known ? reload(n, &c) : 0;
    if (k.key_known)
        printf(tr("the host key of %s is known now\n"), n->words.v[1]);
    rc = rc ? rc : told;
    client_free(c);
    free(k.unknown_key);
    rec_fini(&node_spec_rec, &own);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

/* Where nodes are closed up, its line for them is the one that stoker init --node writes. */
int node_do_key(struct node_cmd *n)
{
    struct node_spec none = {0};
    struct cluster_spec all;
    int rc = node_load_config(n, &all);
    if (rc)
        return rc;
    rc = nodecheck_need_key(n->cli, &n->keys, &none);
    struct strv keys = nodecheck_keys(&n->keys, &none);
    if (rc == 0 && keys.n) {
        char *pub = xasprintf("%s.pub", keys.v[0]), *text = file_text(pub);
        fprintf(stderr, /* the output is the key alone: it is appended to files */
                n->keys.apart
                    ? tr("The controller logs in with %s. On each node, as root: stoker init --node=NAME "
                         "--key='LINE' with this line:\n")
                    : tr("The controller logs in with %s. This line belongs in ~/.ssh/authorized_keys on "
                         "each node:\n"),
                keys.v[0]);
        fputs(text ? text : "", stdout);
        free(pub);
        free(text);
    }
    strv_fini(&keys);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

/* --- add, remove --- */

/* A file that is not there has nothing in it. */
static char *config_text(const struct node_cmd *n)
{
    char *text = file_text(n->paths.config);
    return text ? text : xstrdup("");
}

/* 1: up, 0: not yet; the exit code where it cannot be asked, negative. */
static int nodesetup_look(const struct node_cmd *n, struct client *c, const char *name, bool *told)
{
    struct model m;
    struct msg_get get = {.what = GET_SPEC | GET_NODES};
    int rc = ask_fetch(n->cli, c, &get, &m);
    const struct node *node = rc ? NULL : model_get_node(&m, name);
    bool up = node && node->state == NODE_UP;
    if (up)
        printf(tr("%s is up: %u CPUs, %llu MiB, %u GPUs\n"), name, node->cpus,
               (unsigned long long)node->mem_mib, node->gpus);
    else if (node && node->trouble && !*told) {
        struct str text = STR_INIT;
        text_append_foreign(&text, node->trouble, "");
        printf("%s: %s\n", name, text.s);
        str_fini(&text);
        *told = true;
    }
    model_fini(&m);
    return rc ? -rc : up;
}

static int wait_up(const struct node_cmd *n, struct client *c, const char *name)
{
    int64_t end = mono_ms() + UP_WAIT_MS;
    bool told = false;
    const struct timespec pause = {.tv_nsec = 100000000};
    for (;;) {
        int r = nodesetup_look(n, c, name, &told);
        if (r)
            return r > 0 ? 0 : -r;
        if (mono_ms() > end)
            break;
        nanosleep(&pause, NULL);
    }
    cli_error(n->cli, tr("%s is in the configuration and not up yet: stoker nodes says why"), name);
    return EXIT_TIMED_OUT;
}

/* A host key that has not been accepted: asked on a terminal. */
static bool user_vouches(const struct node_check *k)
{
    char answer[16] = "";
    if (!k->unknown_key || k->accept || !isatty(0) || !isatty(1))
        return false;
    printf(tr("Is %s the key of that machine? Compare it with what `ssh-keygen -lf "
              "/etc/ssh/ssh_host_ed25519_key.pub` "
              "says there. [y/N] "),
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
        cli_error(n->cli, tr("if that is its key: %s add %s --accept=%s ..."), n->cli->name, n->words.v[1],
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
    char *old = config_text(n), *entry = node_entry(n, s);
    /* Where no list is written this machine is the only node: it stays one. */
    char *first = before->nodes.n == 1
                      ? xasprintf("{ name = \"%s\"; transport = \"local\"; }", before->nodes.v[0].name)
                      : NULL;
    int rc = nodeedit_add(&text, old, entry, first, &err);
    if (rc < 0)
        cli_error(n->cli, "%s: %s", n->paths.config, err.s);
    rc = rc < 0 ? 1 : node_write_config(n, text.s);
    if (rc == 0)
        rc = node_load_config(n, &after);
    if (rc == 0) {
        printf(s->own_files ? tr("%s is in %s, with own_files: files are not shared with it\n")
                            : tr("%s is in %s\n"),
               s->name, n->paths.config);
        if (!in_partition(&after, s->name) && !str_eq(n->role, "login"))
            printf(tr("no partition has it: add it to the `nodes` of one there\n"));
        rec_fini(&cluster_spec_rec, &after);
    }
    str_fini(&text);
    free(old);
    free(entry);
    free(first);
    return rc;
}

int node_do_add(struct node_cmd *n)
{
    struct cluster_spec all;
    struct node_spec s = {0};
    struct client *c = NULL;
    if (n->words.n != 2) {
        cli_error(n->cli, tr("say: %s add [USER@]HOST"), n->cli->name);
        return 2;
    }
    int rc = node_load_config(n, &all);
    if (rc)
        return rc;
    rc = node_describe(n, n->words.v[1], &s);
    if (rc == 0 && spec_find_node(&all, s.name)) {
        cli_error(n->cli, tr("there is a node %s already: %s check %s, or another --name"), s.name,
                  n->cli->name, s.name);
        rc = EXIT_REFUSED;
    }
    rc = rc ? rc : check_new(n, &s);
    rc = rc ? rc : insert(n, &all, &s);
    rc = rc ? rc : reload(n, &c);
    if (rc == 0 && c)
        rc = wait_up(n, c, s.name);
    else if (rc == 0)
        printf(tr("no controller runs: the node is used from its start on (%s)\n"),
               paths_start_command(&n->paths));
    client_free(c);
    rec_fini(&node_spec_rec, &s);
    rec_fini(&cluster_spec_rec, &all);
    return rc;
}

/* "main, gpu": the partitions that have any of these nodes; NULL: none. Caller frees. */
static char *partitions_of(const struct cluster_spec *spec, const struct strv *names)
{
    struct strv parts = {0};
    for (size_t i = 0; i < spec->parts.n; i++)
        for (size_t k = 0; k < names->n; k++)
            if (strv_has(&spec->parts.v[i].nodes, names->v[k]) && !strv_has(&parts, spec->parts.v[i].name))
                strv_push(&parts, spec->parts.v[i].name);
    char *text = parts.n ? strv_join(&parts, ", ") : NULL;
    strv_fini(&parts);
    return text;
}

int node_do_remove(struct node_cmd *n)
{
    struct strv names = {0};
    struct client *c = NULL;
    struct cluster_spec all = {0};
    char *text = config_text(n);
    int rc = names_expand(n->cli, &n->words, 1, n->words.n, &names);
    rc = rc ? rc : node_load_config(n, &all);
    for (size_t i = 0; rc == 0 && i < names.n; i++)
        if (!spec_find_node(&all, names.v[i])) {
            cli_error(n->cli, tr("there is no node %s"), names.v[i]);
            rc = EXIT_NOT_FOUND;
        }
    char *parts = rc == 0 ? partitions_of(&all, &names) : NULL;
    rec_fini(&cluster_spec_rec, &all);
    for (size_t i = 0; rc == 0 && i < names.n; i++) {
        struct errtext err = {""};
        struct str out = STR_INIT;
        int r = nodeedit_remove(&out, text, names.v[i], &err);
        if (r < 0) {
            cli_error(n->cli, tr("%s: %s: take it out there by hand, then: scontrol reconfigure"),
                      n->paths.config, err.s);
            rc = r == -ENOENT ? EXIT_NOT_FOUND : 1;
        }
        free(text);
        text = str_take(&out);
    }
    if (rc == 0 && (rc = node_write_config(n, text)) != 0 && parts)
        cli_error(n->cli,
                  names.n == 1 ? tr("first take %s out of the `nodes` of partition %s")
                               : tr("first take %s and the others out of the `nodes` of partition %s"),
                  names.v[0], parts);
    rc = rc ? rc : reload(n, &c);
    free(parts);
    if (rc == 0)
        printf(trn("%zu node out of %s; jobs that run there are served until they end\n",
                   "%zu nodes out of %s; jobs that run there are served until they end\n", names.n),
               names.n, n->paths.config);
    client_free(c);
    strv_fini(&names);
    free(text);
    return rc;
}
