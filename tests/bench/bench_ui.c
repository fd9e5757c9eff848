/* bench_ui.c - the screens with 100,000 jobs and 10,000 nodes: what a key, a change and a filter cost, in
 * milliseconds of CPU time: nothing of it waits. */
#include "tests/lib/big_cluster.h"

#include <malloc.h>
#include <unistd.h>

#include "src/base/xalloc.h"

/* "VmRSS", "VmHWM": MB of this process, now and at most. */
static double memory_mb(const char *what)
{
    char line[128];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, what, strlen(what)) == 0)
            kib = atol(line + strlen(what) + 1);
    if (f)
        fclose(f);
    return (double)kib * 1024 / 1e6;
}

static int by_time(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

/* "j", "<Enter>" */
static uint32_t key_parse_one(const char *key)
{
    if (key[0] != '<' || !key[1])
        return (uint32_t)(unsigned char)key[0];
    char *name = xstrndup(key + 1, strlen(key) - 2);
    uint32_t k = key_parse(name);
    free(name);
    return k;
}

/* What each key of a line costs with its picture, over n rounds: the median, 99 of 100, the worst. */
static void each_key(struct uilab *u, const char *what, const char *const *keys, size_t n, int rounds)
{
    double *v = xcalloc(n * (size_t)rounds, sizeof *v);
    size_t k = 0;
    double slice = 0;
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++) {
            struct input in = input_key(key_parse_one(keys[i]));
            double t0 = big_cluster_cpu_ms();
            app_input(u->app, &in);
            uilab_draw(u, 50, 200);
            v[k++] = big_cluster_cpu_ms() - t0;
            for (bool more = true; more;) { /* between the keys; a slice may be in a key's way */
                t0 = big_cluster_cpu_ms();
                more = app_work(u->app);
                slice = big_cluster_cpu_ms() - t0 > slice ? big_cluster_cpu_ms() - t0 : slice;
            }
            uilab_draw(u, 50, 200);
        }
    qsort(v, k, sizeof *v, by_time);
    printf("%-44s %8.2f ms   p99 %.2f   worst %.2f   slice %.2f\n", what, v[k / 2], v[k * 99 / 100],
           v[k - 1], slice);
    free(v);
}

/* What a line typed in full costs with its picture: the first time, and the worst of n. */
static void one_line(struct uilab *u, const char *line, int n)
{
    struct input enter = input_key(key_parse("Enter"));
    double first = 0, worst = 0;
    for (int k = 0; k < n; k++) {
        uilab_keys(u, line);
        while (app_work(u->app)) {
        }
        uilab_draw(u, 50, 200);
        double t0 = big_cluster_cpu_ms();
        app_input(u->app, &enter);
        uilab_draw(u, 50, 200);
        double took = big_cluster_cpu_ms() - t0;
        first = k ? first : took;
        worst = took > worst ? took : worst;
        if (line[0] == '/')
            uilab_keys(u, "<Esc>");
        else
            uilab_keys(u, ":sort<Enter>");
        uilab_draw(u, 50, 200);
    }
    printf("%-44s %8.2f ms   worst %.2f\n", line, first, worst);
}

/* Every column of the jobs in both directions. */
static void each_order(struct uilab *u)
{
    static const char *const columns[] = {
        "sign",      "id",       "name",  "user",      "partition", "when",     "waited",
        "time",      "of-limit", "cpus",  "gpus",      "where",     "left",     "state",
        "account",   "qos",      "nodes", "memory",    "limit",     "priority", "restarts",
        "submitted", "started",  "ended", "directory", "comment"};
    for (size_t i = 0; i < N_OF(columns); i++) {
        char line[64];
        snprintf(line, sizeof line, ":sort %s", columns[i]);
        one_line(u, line, 5);
        snprintf(line, sizeof line, ":sort %s down", columns[i]);
        one_line(u, line, 5);
    }
}

static void keys_p99(struct uilab *u)
{
    static const char *const scroll[] = {"j",     "j",      "k", "<PgDn>", "<PgDn>", "<C-d>",
                                         "<C-u>", "<PgUp>", "G", "k",      "g",      "j"};
    static const char *const filter[] = {"/", "a", "l", "i", "c", "e", "<Enter>", "j", "G", "<Esc>"};
    static const char *const rare[] = {"/", "j", "o", "b", "-", "7", "7", "<Esc>"};
    static const char *const words[] = {"/", "c", "p", "u", "s", ":", ">", "8", "<Esc>"};
    static const char *const like[] = {"/", "j", "b", "7", "7", "7", "<Esc>"};
    static const char *const regex[] = {"/", "/", "^", "j", "o", "b", "-", "7", "<Esc>"};
    static const char *const sort[] = {"o", "<Down>", "<Enter>", "j", "G", "g"};
    each_key(u, "keys: moving", scroll, N_OF(scroll), 20);
    each_key(u, "keys: filtering by a user", filter, N_OF(filter), 10);
    each_key(u, "keys: filtering by a name", rare, N_OF(rare), 10);
    each_key(u, "keys: filtering by a number", words, N_OF(words), 10);
    each_key(u, "keys: filtering by similar texts", like, N_OF(like), 10);
    each_key(u, "keys: filtering by an expression", regex, N_OF(regex), 3);
    each_key(u, "keys: sorting, column by column", sort, N_OF(sort), 16);
    uilab_keys(u, "<Esc>");
    for (int i = 0; i < 20; i++) /* back to the natural order */
        uilab_keys(u, "o<Up><Enter>");
}

/* A log of a gigabyte, of which only the end is on the disk. */
static void gigabyte(struct uilab *u)
{
    char path[] = "/tmp/stoker-bench.XXXXXX";
    int fd = mkstemp(path);
    const char end[] = "\nthe last line\n";
    double t0 = big_cluster_cpu_ms();
    if (fd < 0 || pwrite(fd, end, sizeof end - 1, 1000000000) < 0)
        fail_msg("no place for a log");
    struct job *j = model_get_job(u->app->m, 1);
    char *usual = j->req.std_out;
    j->req.std_out = path; /* the mirror shares its texts: what is shared comes back before it looks */
    changes_everything(u->app);
    uilab_keys(u, "1g");
    uilab_draw(u, 50, 200);
    double before = memory_mb("VmRSS");
    t0 = big_cluster_cpu_ms();
    uilab_keys(u, "l");
    uilab_draw(u, 50, 200);
    printf("%-44s %8.2f ms, %.1f MB%s\n", "a log of 1 GB opened and drawn", big_cluster_cpu_ms() - t0,
           memory_mb("VmRSS") - before,
           uilab_find(u, "the last line") < 0 ? "  but its end is not shown" : "");
    uilab_keys(u, "q");
    j->req.std_out = usual;
    close(fd);
    unlink(path);
}

static void one_change(struct uilab *u)
{
    big_cluster_change(u, BIG_CLUSTER_JOBS / 2);
    uilab_draw(u, 50, 200);
}

/* The best of n: others use the machine too. */
#define MEASURE(what, times, code)              \
    do {                                        \
        double best = 1e9;                      \
        for (int k_ = 0; k_ < (times); k_++) {  \
            double t0 = big_cluster_cpu_ms();         \
            code;                               \
            double took = big_cluster_cpu_ms() - t0;  \
            best = took < best ? took : best;   \
        }                                       \
        printf("%-44s %8.2f ms\n", what, best); \
    } while (0)

int main(void)
{
    struct uilab u;
    uilab_init(&u);
    big_cluster_build(&u.lab);

    printf("%d jobs, %d of them running; %d nodes\n", BIG_CLUSTER_JOBS, BIG_CLUSTER_RUNNING,
           BIG_CLUSTER_NODES);
    malloc_trim(0);
    double before = memory_mb("VmRSS"); /* the lab's own state is not the screens' */
    uilab_open(&u);
    MEASURE("first frame, before data", 1, uilab_draw(&u, 50, 200));
    uilab_connect(&u);
    printf("%-44s %8.2f ms\n", "snapshot taken in", u.fed_ms);
    MEASURE("first picture with data", 1, uilab_draw(&u, 50, 200));
    double most = memory_mb("VmHWM");
    malloc_trim(0); /* the test's copies */
    printf("%-44s %8.1f MB   at most %.1f\n", "memory added here; a screen's: bench_memory",
           memory_mb("VmRSS") - before, most - before);
    each_order(&u);
    keys_p99(&u);
    MEASURE("key and picture", 20, (uilab_keys(&u, "j"), uilab_draw(&u, 50, 200)));
    MEASURE("to the end and picture", 5, (uilab_keys(&u, "G"), uilab_draw(&u, 50, 200)));
    MEASURE("all has changed: picture", 5, (changes_everything(u.app), uilab_draw(&u, 50, 200)));
    MEASURE("a change and picture", 5, one_change(&u));
    MEASURE("filter: one letter typed", 1, (uilab_keys(&u, "/j"), uilab_draw(&u, 50, 200)));
    MEASURE("filter: another letter", 1, (uilab_keys(&u, "o"), uilab_draw(&u, 50, 200)));
    uilab_keys(&u, "<C-u>alice<Enter>");
    MEASURE("filtered: key and picture", 20, (uilab_keys(&u, "k"), uilab_draw(&u, 50, 200)));
    MEASURE("filtered: a change and picture", 3, one_change(&u));
    uilab_keys(&u, "<Esc>o<Down><Down><Down>");
    MEASURE("sort by name: key and picture", 1, (uilab_keys(&u, "<Enter>"), uilab_draw(&u, 50, 200)));
    MEASURE("sorted by name: a change and picture", 3, one_change(&u));
    uilab_keys(&u, "G");
    MEASURE("cursor at the end: a change and picture", 3, one_change(&u));
    uilab_keys(&u, "o<Up><Up><Up><Up><Enter>");
    static const struct {
        const char *key, *what;
    } screens[] = {{"2", "nodes"},      {"3", "GPUs"},    {"4", "timeline"},
                   {"5", "partitions"}, {"6", "history"}, {"7", "usage"}};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        char what[80];
        snprintf(what, sizeof what, "%s: opened and drawn", screens[i].what);
        MEASURE(what, 1, (uilab_keys(&u, screens[i].key), uilab_draw(&u, 50, 200)));
        snprintf(what, sizeof what, "%s: a change and picture", screens[i].what);
        MEASURE(what, 3, one_change(&u));
    }
    gigabyte(&u);
    uilab_keys(&u, "1s");
    MEASURE("form: a letter and picture", 5, (uilab_keys(&u, "x"), uilab_draw(&u, 50, 200)));
    uilab_fini(&u);
    return 0;
}
