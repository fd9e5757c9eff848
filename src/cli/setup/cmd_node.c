/* cmd_node.c - stoker node: its words; what takes machines out of use and back. */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/setup/nodecmd.h"

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
    O_ROLE,
    O_END,
    O_JSON
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
     .help = "add, check: the address, if the name HOST cannot be looked up"},
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
     .help = "add, check: the account to log in with (as in USER@HOST)"},
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
    {.id = O_END,
     .name = "end",
     .arg = OPT_REQUIRED,
     .meta = "JOB[.STEP[.TASK]]",
     .help = "tasks: end those that the controller does not know"},
    {.id = O_JSON, .name = "json", .help = "tasks: print JSON"},
};

static int node_set_option(void *ctx, const struct opt *o, const char *arg,
                           __attribute__((unused)) struct errtext *err)
{
    struct node_cmd *n = ctx;
    char **const to[] = {[O_REASON] = &n->reason, [O_NAME] = &n->name, [O_ADDRESS] = &n->address,
                         [O_PORT] = &n->port,     [O_USER] = &n->user, [O_IDENTITY] = &n->identity,
                         [O_ACCEPT] = &n->accept, [O_CPUS] = &n->cpus, [O_MEMORY] = &n->memory,
                         [O_GPUS] = &n->gpus,     [O_TYPE] = &n->type, [O_ROLE] = &n->role,
                         [O_END] = &n->end};
    if (o->id == O_JSON) {
        n->json = true;
        return 0;
    }
    if (o->id == O_FEATURES) {
        strv_fini(&n->features);
        n->features = strv_split(arg, ", ");
        return 0;
    }
    free(*to[o->id]);
    *to[o->id] = xstrdup(arg);
    return 0;
}

static const struct opts options = OPTS(table, node_set_option);

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

static int node_do_resume(struct node_cmd *n)
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
            cli_error(cli, "%s is for tasks, not for %s", n.end ? "--end" : "--json", verb->name);
            rc = 2;
        } else if (verb) {
            rc = verb->run(&n);
        } else {
            cli_error(cli,
                      "say check, add, remove, drain, resume, note, tasks, accept or key, and which nodes");
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
    .summary = "Add machines and take them out, drain and resume them, list what runs there",
    .usage = "check|add|accept|remove|drain|resume|note|tasks|key [NODES] [OPTIONS]",
    .options = &options,
    .run = node_run,
};
