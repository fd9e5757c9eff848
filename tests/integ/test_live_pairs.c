/* test_live_pairs.c - every two causes that can hold at once, with a real controller: both are named, with
 * their numbers, and each clears when it was said to. LIVE_ROW="A + B" plays one pair and prints it.
 *
 * The expected answers come only from the table of units: what each unit occupies, and until when.
 *
 * test-fast
 */
#include "tests/lib/live_row.h"

#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "tests/lib/check.h"

struct mono mono_read(void)
{
    return live_mono();
}

struct wall wall_read(void)
{
    return live_wall();
}

static const struct live_node nodes[] = {
    {"n1", 8, 2, 32, "features = [\"fast\"];"},
    {"n2", 8, 2, 32, "features = [\"fast\"];"},
    {"s1", 64, 16, 256, NULL},
};
static const struct live_node cut[] = {
    {"n1", 8, 2, 32, NULL},
    {"n2", 8, 2, 32, NULL},
    {"s1", 64, 16, 256, NULL},
};

/* The job that is asked about, beside the options of its units. */
#define ASKED     "-A phys -q long -C fast -c4 --mem=4G --gpus=1 -t 20"
#define ASKED_CPU 4
#define ASKED_GPU 1
#define ASKED_GIB 4

enum conflict {                    /* units with one of these in common do not hold at once */
                C_STATE = 1,       /* of the partition */
                C_DEPENDENCY = 2,  /* one option */
                C_PLACE = 4,       /* what there is of both nodes */
                C_RESERVATION = 8, /* of both nodes too */
};

/* What a job of a unit occupies in the partition side. */
struct occupies {
    const char *user, *account, *qos;
    int cpus, gpus, gib, minutes;
};

struct unit {
    const char *name;
    unsigned conflicts;
    struct occupies by;               /* user NULL: nothing */
    const char *by_options;           /* of that job besides */
    const char *first;                /* further steps before the job is submitted */
    const char *options, *then;       /* of the job; steps after it. %1: the id of the unit's job */
    const char *rule;                 /* keys of the partition that come last */
    const char *scope, *whose, *what; /* a limit on that; NULL: none */
    int most;
    struct live_want want; /* of a limit its class alone */
    bool never;            /* no start can be expected */
};

#define SIDE(user, account, qos, cpus, gpus, gib, minutes) \
    {                                                      \
        user, account, qos, cpus, gpus, gib, minutes       \
    }

static const struct unit units[] = {
    {"held", .options = "-H", .want = {"HELD", "held by ann", 0}, .never = true},
    {"not before a time", .options = "-b now+10minutes",
     .want = {"NOT_YET", "its earliest start is in 9 min", 600}},
    {"a dependency", C_DEPENDENCY, .by = SIDE("bob", "chem", "normal", 1, 0, 1, 12),
     .options = "-d afterany:%1", .want = {"DEP_WAIT", "waits for job %1 (running) to end", 720}},
    {"a job of its name", C_DEPENDENCY, .by = SIDE("ann", "chem", "normal", 1, 0, 1, 11),
     .by_options = "-J pretrain-x", .options = "-J pretrain-x -d singleton",
     .want = {"DEP_WAIT", "waits for job %1 named \"pretrain-x\" to end (singleton)", 660}},
    {"a dependency that is dead", C_DEPENDENCY, .by = SIDE("bob", "chem", "normal", 1, 0, 1, 50),
     .options = "-d afterok:%1", .then = "cancel %1\nplay 5\n", .want = {"DEP_DEAD", "job %1", 0},
     .never = true},
    {"the partition is down", C_STATE, .rule = "state = \"down\";",
     .want = {"PARTITION_DOWN", "partition main is down", 0}, .never = true},
    {"the partition is inactive", C_STATE, .rule = "state = \"inactive\";",
     .want = {"PARTITION_DOWN", "partition main is inactive", 0}, .never = true},
    {"the partition's time", .rule = "max_time = \"15m\";",
     .want = {"NOT_ALLOWED", "time limit 20:00 asked, partition main allows 15:00", 0}, .never = true},
    {"the partition's accounts", .rule = "deny_accounts = [\"phys\"];",
     .want = {"NOT_ALLOWED", "partition main does not admit its account", 0}, .never = true},
    {"the partition's QOS", .rule = "deny_qos = [\"long\"];",
     .want = {"NOT_ALLOWED", "partition main does not admit its QOS", 0}, .never = true},
    {"the partition's groups", .rule = "allow_groups = [\"no-such-group\"];",
     .want = {"NOT_ALLOWED", "partition main does not admit its user's groups", 0}, .never = true},
    {"CPUs of a user", .by = SIDE("ann", "chem", "normal", 4, 0, 1, 4), .scope = "user", .what = "cpus",
     .most = 6, .want = {"USER_LIMIT", NULL, 0}},
    {"GPUs of a user", .by = SIDE("ann", "chem", "normal", 1, 2, 1, 5), .scope = "user", .what = "gpus",
     .most = 2, .want = {"USER_LIMIT", NULL, 0}},
    {"running jobs of a user", .by = SIDE("ann", "chem", "normal", 1, 0, 1, 6), .scope = "user",
     .what = "running_jobs", .most = 1, .want = {"USER_LIMIT", NULL, 0}},
    {"CPUs of an account", .by = SIDE("bob", "phys", "normal", 5, 0, 1, 7), .scope = "account",
     .whose = "phys", .what = "cpus", .most = 8, .want = {"GROUP_LIMIT", NULL, 0}},
    {"memory of an account", .by = SIDE("bob", "phys", "normal", 1, 0, 9, 8), .scope = "account",
     .whose = "phys", .what = "memory", .most = 10, .want = {"GROUP_LIMIT", NULL, 0}},
    {"GPUs of a QOS", .by = SIDE("bob", "chem", "long", 1, 3, 1, 5), .scope = "qos", .whose = "long",
     .what = "gpus", .most = 3, .want = {"GROUP_LIMIT", NULL, 0}},
    {"running jobs of a QOS", .by = SIDE("bob", "chem", "long", 1, 0, 1, 6), .scope = "qos",
     .whose = "long", .what = "running_jobs", .most = 1, .want = {"GROUP_LIMIT", NULL, 0}},
    {"GPUs of the cluster", .by = SIDE("cas", "chem", "normal", 1, 4, 1, 9), .scope = "cluster",
     .what = "gpus", .most = 4, .want = {"GROUP_LIMIT", NULL, 0}},
    {"a licence", .by = SIDE("cas", "chem", "normal", 1, 0, 1, 13), .by_options = "-L cad:2",
     .options = "-L cad", .want = {"BUSY", "needs 1 of licence cad, 2 of 2 in use by job %1", 780}},
    {"a reservation ahead", C_PLACE | C_RESERVATION, .first = "reserve course n[1-2] 900 4000 ann\n",
     .options = "--reservation=course", .want = {"WINDOW", "its reservation course begins in 14 min", 900}},
    {"a reservation that has gone", C_RESERVATION, .first = "reserve course n[1-2] 900 4000 ann\n",
     .options = "--reservation=course", .then = "remove course\n",
     .want = {"NOT_ALLOWED", "there is no reservation course", 0}, .never = true},
    {"no node has the feature", C_PLACE, .then = "cut\n",
     .want = {"NO_FIT", "2 nodes: 2 without the features (n[1-2])", 0}, .never = true},
    {"drained", C_PLACE, .then = "drain n1 fan broken\ndrain n2 fan broken\n",
     .want = {"NODE_OUT", "n[1-2] are drained: fan broken (root)", 0}, .never = true},
    {"full", C_PLACE,
     .first =
         "bob -p fill -A chem -c8 --mem=1G -w n1 -t 25\nbob -p fill -A chem -c8 --mem=1G -w n2 -t 28\n",
     .want = {"BUSY", "2 nodes: 2 too few free CPUs (n[1-2]); room comes when job ", 1500}},
    {"maintenance", C_PLACE | C_RESERVATION, .first = "maintenance disks n[1-2] 0 1800\n",
     .want = {"WINDOW", "2 nodes are kept for the maintenance window disks now", 1800}},
};

/* --- what is expected of limits --- */

static int amount_of(const struct occupies *o, const char *what)
{
    return strcmp(what, "cpus") == 0     ? o->cpus
           : strcmp(what, "gpus") == 0   ? o->gpus
           : strcmp(what, "memory") == 0 ? o->gib
                                         : 1;
}

static bool counts_for(const struct unit *u, const struct occupies *o)
{
    const struct occupies asked = {.user = "ann", .account = "phys", .qos = "long"};
    return o->user && (strcmp(u->scope, "user") == 0      ? strcmp(o->user, asked.user) == 0
                       : strcmp(u->scope, "account") == 0 ? strcmp(o->account, asked.account) == 0
                       : strcmp(u->scope, "qos") == 0     ? strcmp(o->qos, asked.qos) == 0
                                                          : true);
}

/* A dead dependency's job has been cancelled: it has nothing. */
static bool is_there(const struct unit *u)
{
    return u->by.user && !(u->want.cls && strcmp(u->want.cls, "DEP_DEAD") == 0);
}

static void limit_want(const struct unit *u, const struct unit *other, struct str *text, int *ret_clears)
{
    const struct occupies own = {"ann", "phys", "long", ASKED_CPU, ASKED_GPU, ASKED_GIB, 0};
    const struct unit *both[] = {u, other};
    int asked = amount_of(&own, u->what), used = 0;
    for (int i = 0; i < 2; i++)
        if (is_there(both[i]) && counts_for(u, &both[i]->by))
            used += amount_of(&both[i]->by, u->what);
    *ret_clears = 0;
    for (int minute = 1, left = used; minute <= 120 && !*ret_clears; minute++) {
        for (int i = 0; i < 2; i++)
            if (is_there(both[i]) && counts_for(u, &both[i]->by) && both[i]->by.minutes == minute)
                left -= amount_of(&both[i]->by, u->what);
        *ret_clears = left + asked <= u->most ? minute * 60 : 0;
    }
    bool jobs = strcmp(u->what, "running_jobs") == 0, memory = strcmp(u->what, "memory") == 0,
         cluster = strcmp(u->scope, "cluster") == 0, user = strcmp(u->scope, "user") == 0,
         qos = strcmp(u->scope, "qos") == 0;
    const char *noun = jobs ? "running job" : strcmp(u->what, "cpus") == 0 ? "CPU" : "GPU";
    str_appendf(text, "%s%s %s ", cluster ? "the " : "", qos ? "QOS" : u->scope,
                user      ? "ann"
                : cluster ? ""
                          : u->whose);
    if (cluster)
        text->s[--text->len] = '\0';
    if (memory)
        str_appendf(text, "holds %dG of %dG of memory and asks for %dG more", used, u->most, asked);
    else
        str_appendf(text, "%s %d of %d %s%s", jobs ? "has" : "holds", used, u->most, noun,
                    u->most == 1 ? "" : "s");
    if (!jobs && !memory)
        str_appendf(text, " and asks for %d more", asked);
}

/* --- a pair as a case --- */

static bool can_hold_at_once(const struct unit *a, const struct unit *b)
{
    return !(a->conflicts & b->conflicts);
}

/* With $N in place of %1. */
static void append_filled(struct str *out, const char *text, unsigned job)
{
    for (const char *p = text ? text : ""; *p; p++) {
        if (p[0] == '%' && p[1] == '1') {
            str_appendf(out, "$%u", job);
            p++;
        } else {
            str_append_char(out, *p);
        }
    }
}

/* Jobs that a unit submits before the one that is asked about. */
static unsigned jobs_of(const struct unit *u)
{
    unsigned n = u->by.user != NULL;
    for (const char *p = u->first; p && (p = strstr(p, "-p fill")); p++)
        n++;
    return n;
}

static void append_steps(struct str *out, const struct unit *const *v, size_t n)
{
    unsigned at[2] = {1, 1 + jobs_of(v[0])};
    for (size_t i = 0; i < n; i++) {
        const struct occupies *o = &v[i]->by;
        if (o->user)
            str_appendf(out, "%s -p side -A %s -q %s -c%d --gpus=%d --mem=%dG -t %d %s\n", o->user,
                        o->account, o->qos, o->cpus, o->gpus, o->gib, o->minutes,
                        v[i]->by_options ? v[i]->by_options : "");
        str_append(out, v[i]->first ? v[i]->first : "");
    }
    str_append(out, "later\n*ann " ASKED);
    for (size_t i = 0; i < n; i++) {
        str_append_char(out, ' ');
        append_filled(out, v[i]->options, at[i]);
    }
    str_append_char(out, '\n');
    for (size_t i = 0; i < n; i++)
        append_filled(out, v[i]->then, at[i]);
    str_append(out, "last\n");
}

static bool is_same_limit(const struct unit *a, const struct unit *b)
{
    return strcmp(a->scope, b->scope) == 0 &&
           strcmp(a->whose ? a->whose : "", b->whose ? b->whose : "") == 0;
}

/* One for each name: two amounts of it are in one group. */
static void append_limits(struct str *out, const struct unit *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct unit *u = v[i];
        bool again = u->scope && i && v[0]->scope && is_same_limit(v[0], u);
        if (!u->scope)
            continue;
        if (again)
            out->len -= strlen(" }; }");
        else
            str_appendf(out, "%s { scope = \"%s\"; name = \"%s\"; hard = {", i && v[0]->scope ? "," : "",
                        u->scope, u->whose ? u->whose : "*");
        str_appendf(out, " %s = \"%d%s\"; }; }", u->what, u->most, strcmp(u->what, "memory") ? "" : "G");
    }
}

static char *policy_of(const struct unit *const *v, size_t n, bool limits, bool rules)
{
    struct str s = STR_INIT;
    str_append(&s, "partitions = ( { name = \"main\"; nodes = \"n[1-2]\"; default = true; ");
    for (size_t i = 0; rules && i < n; i++)
        str_append(&s, v[i]->rule ? v[i]->rule : "");
    if (!rules) /* it waits until all is set up */
        str_append(&s, "state = \"down\";");
    str_append(&s,
               " },\n  { name = \"fill\"; nodes = \"n[1-2]\"; },\n  { name = \"side\"; nodes = \"s1\"; "
               "allow_qos = [\"normal\", \"long\"]; } );\n"
               "accounts = ( { name = \"phys\"; users = ( { name = \"ann\"; }, { name = \"bob\"; } ); },\n"
               "  { name = \"chem\"; users = ( { name = \"ann\"; }, { name = \"bob\"; }, "
               "{ name = \"cas\"; } ); } );\n"
               "qos = ( { name = \"long\"; allow_users = [\"*\"]; } );\n"
               "licenses = ( { name = \"cad\"; count = 2; } );\n"
               "priority = { weight_age = 0; weight_fairshare = 0; weight_job_size = 0; };\n"
               "limits = (");
    append_limits(&s, v, limits ? n : 0);
    str_append(&s, " );\n");
    return str_take(&s);
}

static void play_pair(struct live_rows *r, const struct unit *const *v, const char *only)
{
    char *name = xasprintf("%s + %s", v[0]->name, v[1]->name);
    if (only && strcmp(only, name) != 0) {
        free(name);
        return;
    }
    struct str steps = STR_INIT, text[2] = {STR_INIT, STR_INIT};
    struct live_row row = {.name = name, .start = v[0]->never || v[1]->never ? 0 : -1};
    unsigned at[2] = {1, 1 + jobs_of(v[0])};
    char *policy = policy_of(v, 2, false, false), *later = policy_of(v, 2, true, false),
         *last = policy_of(v, 2, true, true);
    append_steps(&steps, v, 2);
    for (size_t i = 0; i < 2; i++) {
        row.wants[i] = v[i]->want;
        if (v[i]->scope)
            limit_want(v[i], v[!i], &text[i], &row.wants[i].clears);
        else
            append_filled(&text[i], v[i]->want.text, at[i]);
        row.wants[i].text = text[i].s;
    }
    row.policy = policy;
    row.later = later;
    row.last = last;
    row.steps = steps.s;
    live_row_play(r, &row);
    free(policy);
    free(later);
    free(last);
    str_fini(&steps);
    str_fini(&text[0]);
    str_fini(&text[1]);
    free(name);
}

int main(void)
{
    static struct live_rows r;
    const char *only = getenv("LIVE_ROW");
    const struct unit *none[1] = {NULL};
    char *policy = policy_of(none, 0, false, false);
    r.policy = policy;
    r.nodes = nodes;
    r.cut = cut;
    live_open(&r.lab, nodes, N_OF(nodes), policy);
    for (size_t i = 0; i < N_OF(units); i++)
        for (size_t k = i + 1; k < N_OF(units); k++)
            if (can_hold_at_once(&units[i], &units[k]))
                play_pair(&r, (const struct unit *const[]){&units[i], &units[k]}, only);
    live_close(&r.lab);
    free(policy);
    printf("%u of %u right\n", r.n_right, r.n_right + r.n_wrong);
    return r.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
