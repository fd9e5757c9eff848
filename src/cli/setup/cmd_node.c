/* cmd_node.c - stoker node: its words; what takes machines out of use and back. */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/setup/nodecmd.h"
#include "src/lang/lang.h"

enum { O_FEATURES = 1 };

static const struct opt table[] = {
    {OPT_TEXT(struct node_cmd, reason), .name = "reason", .letter = 'r', .meta = "TEXT",
     .help = N_("drain: why; all users see it")},
    {OPT_TEXT(struct node_cmd, name), .name = "name", .meta = "NAME",
     .help = N_("add, check: its name in the cluster, where that is not the host's")},
    {OPT_TEXT(struct node_cmd, address), .name = "address", .meta = "ADDRESS",
     .help = N_("add, check: the address, if the name HOST cannot be looked up")},
    {OPT_TEXT(struct node_cmd, port), .name = "port", .letter = 'p', .meta = "N",
     .help = N_("add, check: of its SSH server")},
    {OPT_TEXT(struct node_cmd, user), .name = "user", .letter = 'l', .meta = "NAME",
     .help = N_("add, check: the account to log in with (as in USER@HOST)")},
    {OPT_TEXT(struct node_cmd, identity), .name = "identity", .letter = 'i', .meta = "FILE",
     .help = N_("add, check: the private key to log in with")},
    {OPT_TEXT(struct node_cmd, accept), .name = "accept", .meta = "SHA256:...",
     .help = N_("add: the fingerprint of its host key, which you have compared")},
    {OPT_TEXT(struct node_cmd, cpus), .name = "cpus", .meta = "N",
     .help = N_("add: CPUs for jobs, where not all that are found")},
    {OPT_TEXT(struct node_cmd, memory), .name = "memory", .meta = "SIZE",
     .help = N_("add: memory for jobs")},
    {OPT_TEXT(struct node_cmd, gpus), .name = "gpus", .meta = "N", .help = N_("add: GPUs for jobs")},
    {OPT_TEXT(struct node_cmd, type), .name = "gpu-type", .meta = "NAME",
     .help = N_("add: what --gres=gpu:NAME:N asks for")},
    {.id = O_FEATURES,
     .name = "features",
     .arg = OPT_REQUIRED,
     .meta = "LIST",
     .help = N_("add: what --constraint asks for")},
    {OPT_TEXT(struct node_cmd, role), .name = "role", .meta = "compute|login",
     .help = N_("add: login: commands and screens work there, no jobs run")},
    {OPT_TEXT(struct node_cmd, end), .name = "end", .meta = "JOB[.STEP[.TASK]]",
     .help = N_("tasks: end those that the controller does not know")},
    {OPT_SETS(struct node_cmd, json), .name = "json", .help = N_("tasks: print JSON")},
};

static int node_set_features(void *ctx, __attribute__((unused)) const struct opt *o, const char *arg,
                             __attribute__((unused)) struct errtext *err)
{
    struct node_cmd *n = ctx;
    strv_fini(&n->features);
    n->features = strv_split(arg, ", ");
    return 0;
}

static const struct opts options = OPTS(table, node_set_features);

/* --- drain, resume, note: the controller's --- */

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
    int rc = names_expand(n->cli, &n->words, 1, n->words.n, &body.nodes);
    if (rc == 0 && drain && str_is_empty(n->reason)) {
        cli_error(n->cli, tr("give a reason, as in: %s drain %s --reason=\"fan broken\""), n->cli->name,
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

static int node_do_resume(struct node_cmd *n)
{
    return drain_or_resume(n, false);
}

static int do_note(struct node_cmd *n)
{
    struct msg_node_note body = {0};
    if (n->words.n != 3) {
        cli_error(n->cli, tr("say: %s note NODES TEXT (an empty text takes the note away)"), n->cli->name);
        return 2;
    }
    int rc = names_expand(n->cli, &n->words, 1, 2, &body.nodes);
    body.text = xstrdup(n->words.v[2]);
    if (rc == 0)
        rc = ask_controller(n, MSG_NODE_NOTE, &body);
    rec_fini(&msg_node_note_rec, &body);
    return rc;
}

static const struct verb {
    const char *name;
    int (*run)(struct node_cmd *n);
} verbs[] = {{"check", node_do_check},   {"add", node_do_add},       {"remove", node_do_remove},
             {"drain", do_drain},        {"resume", node_do_resume}, {"note", do_note},
             {"accept", node_do_accept}, {"key", node_do_key},       {"tasks", node_do_tasks}};

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
        if (verb && verb->run != node_do_tasks && (n.end || n.json)) {
            cli_error(cli, tr("%s is for tasks, not for %s"), n.end ? "--end" : "--json", verb->name);
            rc = 2;
        } else if (verb) {
            rc = verb->run(&n);
        } else {
            cli_error(
                cli,
                tr("say check, add, remove, drain, resume, note, tasks, accept or key, and which nodes"));
            rc = 2;
        }
        paths_fini(&n.paths);
        key_place_fini(&n.keys);
    }
    char *texts[] = {n.reason, n.name, n.address, n.user, n.identity, n.accept, n.memory,
                     n.type,   n.role, n.port,    n.cpus, n.gpus,     n.end};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    strv_fini(&n.features);
    strv_fini(&n.words);
    return rc;
}

const struct command cmd_node = {
    .name = "node",
    .reach = REACH_HERE,
    .summary = N_("Add machines and take them out, drain and resume them, list what runs there"),
    .usage = "check|add|accept|remove|drain|resume|note|tasks|key [NODES] [OPTIONS]",
    .options = &options,
    .run = node_run,
};
