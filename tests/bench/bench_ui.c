/* bench_ui.c - the screens with 100,000 jobs: what a key, a change and a filter cost, in milliseconds. */
#include "tests/lib/uilab.h"

#include <malloc.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define JOBS 100000

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double rss_mb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static struct job *make_job(const struct lab *l, uint32_t id)
{
    static const char *const users[] = {"alice", "bo", "chen", "dana"};
    struct job *j = lab_job(l, JOB_KIND_BATCH);
    free(j->req.name);
    free(j->user);
    j->id = id;
    j->req.name = xasprintf("job-%u", id % 977);
    j->user = xstrdup(users[id % 4]);
    j->partition = xstrdup("main");
    j->req.cpus_per_task = 1 + id % 16;
    return j;
}

/* The best of so many: others use the machine too. */
#define MEASURE(what, times, code)              \
    do {                                        \
        double best = 1e9;                      \
        for (int k_ = 0; k_ < (times); k_++) {  \
            double t0 = now_ms();               \
            code;                               \
            double took = now_ms() - t0;        \
            best = took < best ? took : best;   \
        }                                       \
        printf("%-44s %8.2f ms\n", what, best); \
    } while (0)

int main(void)
{
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "n1", 64, 65536, 0, NULL);
    lab_part(&u.lab, "main", "n1");
    lab_configure(&u.lab);
    for (uint32_t i = 0; i < JOBS; i++)
        model_take_job(&u.lab.m, make_job(&u.lab, 1 + i));
    u.lab.m.next_job = JOBS + 1;

    printf("%d jobs\n", JOBS);
    malloc_trim(0);
    double before = rss_mb(); /* the lab's own state is not the screens' */
    uilab_open(&u);
    MEASURE("first frame, before data", 1, uilab_draw(&u, 50, 200));
    MEASURE("snapshot taken in (with the test's copies)", 1, uilab_connect(&u));
    malloc_trim(0);
    printf("%-44s %8.1f MB\n", "memory: the mirror and the screens", rss_mb() - before);
    MEASURE("first picture with data", 1, uilab_draw(&u, 50, 200));
    MEASURE("key and picture", 20, (uilab_keys(&u, "j"), uilab_draw(&u, 50, 200)));
    MEASURE("to the end and picture", 5, (uilab_keys(&u, "G"), uilab_draw(&u, 50, 200)));
    MEASURE("a change of the model and picture", 5, (app_changed(u.app), uilab_draw(&u, 50, 200)));
    MEASURE("filter: one letter typed", 1, (uilab_keys(&u, "/j"), uilab_draw(&u, 50, 200)));
    MEASURE("filter: another letter", 1, (uilab_keys(&u, "o"), uilab_draw(&u, 50, 200)));
    uilab_keys(&u, "<C-u>alice<Enter>");
    MEASURE("filtered: key and picture", 20, (uilab_keys(&u, "k"), uilab_draw(&u, 50, 200)));
    MEASURE("filtered: a change and picture", 3, (app_changed(u.app), uilab_draw(&u, 50, 200)));
    uilab_keys(&u, "<Esc>o<Down><Down><Down>");
    MEASURE("sort by name: key and picture", 1, (uilab_keys(&u, "<Enter>"), uilab_draw(&u, 50, 200)));
    MEASURE("sorted by name: a change and picture", 3, (app_changed(u.app), uilab_draw(&u, 50, 200)));
    uilab_keys(&u, "G");
    MEASURE("cursor at the end: a change and picture", 3, (app_changed(u.app), uilab_draw(&u, 50, 200)));
    uilab_keys(&u, "o<Up><Up><Up><Up><Enter>");
    static const struct {
        const char *key, *what;
    } screens[] = {{"3", "GPUs"}, {"4", "timeline"}, {"5", "partitions"}, {"6", "history"}, {"7", "usage"}};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        char what[80];
        snprintf(what, sizeof what, "%s: opened and drawn", screens[i].what);
        MEASURE(what, 1, (uilab_keys(&u, screens[i].key), uilab_draw(&u, 50, 200)));
        snprintf(what, sizeof what, "%s: a change and picture", screens[i].what);
        MEASURE(what, 3, (app_changed(u.app), uilab_draw(&u, 50, 200)));
    }
    uilab_keys(&u, "1s");
    MEASURE("form: a letter and picture", 5, (uilab_keys(&u, "x"), uilab_draw(&u, 50, 200)));
    uilab_fini(&u);
    return 0;
}
