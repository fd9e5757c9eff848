/* bench_keys.c - what each key costs with its picture, with 100,000 jobs and 10,000 nodes, in milliseconds
 * of CPU time: the first time, the median, the worst. LANG chooses the language of the screens. */
#include "tests/lib/big_cluster.h"

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define ROUNDS 12

/* before and after are not measured; a change of the cluster lies before the key where that is said. */
struct key_case {
    const char *what, *before, *key, *after;
    bool change;
};

static const struct key_case cases[] = {
    {"jobs, back from the nodes", "2", "1", "", true},
    {"nodes", "1", "2", "1", true},
    {"GPUs", "1", "3", "1", true},
    {"timeline", "1", "4", "1", true},
    {"partitions", "1", "5", "1", true},
    {"history", "1", "6", "1", true},
    {"usage", "1", "7", "1", true},
    {"usage: another user", "7", "j", "1", false},
    {"page of a job that runs", "g", "<Enter>", "q", false},
    {"page of a job that waits", "G", "<Enter>", "qg", false},
    {"why", "G", "w", "qg", false},
    {"depends", "G", "d", "<Esc>g", false},
    {"help", "", "?", "<Esc>", false},
    {"menu", "", "x", "<Esc>", false},
    {"form", "", "s", "<Esc>y", false},
    {"output", "g", "l", "q", false},
    {"columns", "", "O", "<Esc>", false},
    {"only mine", "", "m", "m", false},
    {"copy an id", "", "y", "", false},
    {"copy the table", "", "Y", "", false},
    {"mark one", "g", "<Space>", "u", false},
    {"mark all", "", "*", "u", false},
    {"mark all once more", "*", "*", "u", false},
    {"unmark all", "*", "u", "", false},
    {"a range to the end", "gv", "G", "<Esc>g", false},
    {"a range is closed", "gvG", "v", "ug", false},
    {"all marked: a move", "*", "j", "u", false},
    {"all marked: a key to the jobs after a change", "*2", "1", "u", true},
    {"all marked: cancel asks", "*", "c", "<Esc>u", false},
    {"all marked: hold asks", "*", "H", "<Esc>u", false},
    {"all marked: requeue asks", "*", "R", "<Esc>u", false},
    {"all marked: change asks", "*", "e", "<Esc>u", false},
    {"filtered by a user, sorted by name, after a change", "/user:bo<Enter>o<Down><Down><Down><Enter>2",
     "1", "<Esc>o<Up><Up><Up><Enter>", true},
    {"sorted by left, after a change", ":sort left<Enter>2", "1", ":sort<Enter>", true},
    {"a filter is dropped", "/user:bo<Enter>", "<Esc>", "", false},
    {"a filter is dropped, sorted by name", "/user:bo<Enter>o<Down><Down><Down><Enter>", "<Esc>",
     "o<Up><Up><Up><Enter>", false},
    {"a filter by two words is kept", "/user:bo job-0", "<Enter>", "<Esc>", false},
    {":", "", ":", "<Esc>", false},
    {":show, the last letter of a job", ":show 9999", "9", "<Esc>", false},
    {":cancel, a blank", ":cancel", "<Space>", "<Esc>", false},
    {":filter user, the colon", ":filter user", ":", "<Esc>", false},
    {":filter account, the colon", ":filter account", ":", "<Esc>", false},
    {":mark job-0, Enter", ":mark job-0", "<Enter>", "u", false},
    {":filter job-0 cpus:>4, Enter", ":filter job-0 cpus:>4", "<Enter>", "<Esc>", false},
    {"nodes: to the end", "2g", "G", "1", false},
    {"nodes: a letter of the filter", "2/n0", "9", "<Esc>1", false},
    {"nodes: sorted by note", "2o<Down><Down><Down><Down><Down><Down><Down><Down>", "<Enter>",
     "o<Up><Up><Up><Up><Up><Up><Up><Up><Enter>1", false},
    {"nodes: mark all", "2", "*", "u1", false},
    {"nodes: all marked, drain asks", "2*", "d", "<Esc>u1", false},
    {"nodes: the page of one", "2", "<Enter>", "q1", false},
    {"nodes: copy the table", "2", "Y", "1", false},
    {"GPUs: a letter of the filter", "3/n0", "9", "<Esc>1", false},
    {"GPUs: to the end", "3g", "G", "1", false},
    {"timeline: by job", "4", "t", "t1", false},
    {"timeline: right", "4", "<Right>", "<Esc>1", false},
    {"timeline: to the end", "4g", "G", "1", false},
    {"timeline: a letter of the filter", "4/n0", "9", "<Esc>1", false},
    {"partitions: open its jobs", "5", "<Enter>", "<Esc>", false},
};

static const struct key_case array_cases[] = {
    {"unfold an array of 100,000", "g", "<Right>", "<Left>", false},
    {"fold it", "g<Right>", "<Left>", "", false},
    {"unfolded: to the end", "g<Right>", "G", "g<Left>", false},
    {"unfolded: down", "g<Right>", "j", "g<Left>", false},
    {"unfolded: fold from the last element", "g<Right>G", "<Left>", "", false},
    {"unfolded: sort by time", "g<Right>o<Down><Down><Down><Down><Down><Down>", "<Enter>",
     "o<Up><Up><Up><Up><Up><Up><Enter>g<Left>", false},
    {"unfolded: the first letter of a filter", "g<Right>/", "j", "<Esc>g<Left>", false},
    {"filter state:fail, kept", "/state:fail", "<Enter>", "<Esc>", false},
    {"flat", "g", "t", "t", false},
    {"flat, and back to arrays", "gt", "t", "", false},
    {"flat: all marked, back to arrays", "gt*", "t", "u", false},
    {"the array is marked, flat", "g<Space>", "t", "tu", false},
    {"flat: sort by id", "gto<Down><Down>", "<Enter>", "o<Up><Up><Enter>t", false},
    {"flat: a letter of a filter", "gt/user:b", "o", "<Esc>t", false},
    {"page of the array", "g", "<Enter>", "q", false},
    {"page of the array: right", "g<Enter>", "<Right>", "q", false},
    {"page of the array: to the end", "g<Enter>", "G", "q", false},
    {"page of the array: next failure", "g<Enter>", "E", "q", false},
    {"page of the array: slowest", "g<Enter>", "L", "q", false},
    {"page of the array: open a cell", "g<Enter>", "<Enter>", "q", false},
    {"page of the array: a page down", "g<Enter>", "<PgDn>", "q", false},
    {"page of the array: cancel asks", "g<Enter>", "c", "<Esc>q", false},
    {"page of an element", "g<Right>j", "<Enter>", "qg<Left>", false},
    {"cancel of the array asks", "g", "c", "<Esc>", false},
    {"its output", "g", "l", "q", false},
    {"watch it", "g", "W", "W", false},
    {"depends", "g", "d", "<Esc>", false},
    {"only the failed ones", "g", "F", "<Esc>y", false},
    {"history of 100,000", "1", "6", "1", false},
    {"history: unfold", "6g", "<Right>", "<Left>1", false},
    {"history: flat", "6g", "t", "t1", false},
    {"history: sort by ran", "6o<Down><Down><Down><Down><Down><Down>", "<Enter>",
     "o<Up><Up><Up><Up><Up><Up><Enter>1", false},
};

static uint32_t one_key(const char *key)
{
    if (key[0] != '<')
        return (uint32_t)(unsigned char)key[0];
    char *name = xstrndup(key + 1, strlen(key) - 2);
    uint32_t k = key_parse(name);
    free(name);
    return k;
}

static int by_time(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

struct times {
    VEC(double) v;
};

static double one_round(struct uilab *u, const struct key_case *c)
{
    struct input in = input_key(one_key(c->key));
    uilab_keys(u, c->before);
    uilab_draw(u, 50, 200);
    if (c->change) {
        big_cluster_change(u, BIG_CLUSTER_JOBS / 2);
        uilab_draw(u, 50, 200);
    }
    double t0 = big_cluster_cpu_ms();
    app_input(u->app, &in);
    uilab_draw(u, 50, 200);
    double took = big_cluster_cpu_ms() - t0;
    while (app_work(u->app)) {
    }
    outbox_take(u->app);
    uilab_keys(u, c->after);
    uilab_draw(u, 50, 200);
    uilab_forget_sent(u);
    return took;
}

static void run_cases(struct uilab *u, const struct key_case *all, size_t n, const char *only,
                      struct times *times)
{
    for (size_t i = 0; i < n; i++) {
        double v[ROUNDS], first;
        if (only && !strstr(all[i].what, only))
            continue;
        for (int k = 0; k < ROUNDS; k++) {
            v[k] = one_round(u, &all[i]);
            vec_push(&times->v, v[k]);
        }
        first = v[0];
        qsort(v, ROUNDS, sizeof *v, by_time);
        printf("%-52s first %7.2f   median %7.2f   worst %7.2f\n", all[i].what, first, v[ROUNDS / 2],
               v[ROUNDS - 1]);
        fflush(stdout);
    }
}

static void run_with(void (*build)(struct lab *l), const struct key_case *all, size_t n, const char *only,
                     struct times *times)
{
    struct uilab u;
    uilab_init(&u);
    build(&u.lab);
    uilab_connect(&u);
    uilab_draw(&u, 50, 200);
    run_cases(&u, all, n, only, times);
    uilab_fini(&u);
}

/* bench_keys [PART]: those whose words have that part. */
int main(int argc, char **argv)
{
    struct times times = {.v = VEC_INIT};
    const char *only = argc > 1 ? argv[1] : NULL;
    lang_choose(NULL, "build/share/locale");
    run_with(big_cluster_build, cases, N_OF(cases), only, &times);
    run_with(big_cluster_build_array, array_cases, N_OF(array_cases), only, &times);
    if (times.v.n) {
        qsort(times.v.v, times.v.n, sizeof *times.v.v, by_time);
        printf("%-52s median %.2f   p99 %.2f   worst %.2f\n", "all of them", times.v.v[times.v.n / 2],
               times.v.v[times.v.n * 99 / 100], times.v.v[times.v.n - 1]);
    }
    vec_fini(&times.v);
    return 0;
}
