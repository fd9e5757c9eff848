/* How long squeue takes to sort and to write 100,000 jobs, once it has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <time.h>

#include "tests/bench/common.h"
#include "tests/unit/cli/clicase.h"

#define N_JOBS 100000

static void measure(const char *what, const char *spec, const void **rows, const struct job_cx *cx)
{
    struct format f = {.items = VEC_INIT};
    struct str out = STR_INIT;
    double t = now_ms();
    format_parse_letters(&f, &job_columns, spec, NULL);
    for (size_t i = 0; i < N_JOBS; i++) {
        format_row(&out, &f, rows[i], cx);
        str_append_char(&out, '\n');
    }
    printf("%-10s %6.1f ms  %zu bytes\n", what, now_ms() - t, out.len);
    str_fini(&out);
    format_fini(&f);
}

int main(void)
{
    struct model m;
    static struct job_row rows[N_JOBS];
    static const void *sorted[N_JOBS];
    make_cluster(&m);
    for (uint32_t i = 0; i < N_JOBS; i++) {
        struct job *j = make_job(i + 1, i % 3 ? JOB_PENDING : JOB_RUNNING, "train-something");
        j->priority = i * 2654435761u;
        if (j->state == JOB_RUNNING)
            give_node(j, "n1", 0, 1, 1024);
        model_take_job(&m, j);
        rows[i] = (struct job_row){.job = j, .element = ARRAY_NONE};
        sorted[i] = &rows[i];
    }
    struct job_cx cx = job_cx_from_env(&m);
    struct sorting s = {.items = VEC_INIT};
    double t = now_ms();
    if (sorting_parse(&s, &job_columns, "P,t,-p", NULL) < 0)
        return 1;
    sorting_apply(&s, sorted, N_JOBS, &cx);
    printf("%-10s %6.1f ms\n", "sort", now_ms() - t);
    measure("default", "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R", sorted, &cx);
    measure("times", "%i %S %e %V %l %L", sorted, &cx);
    measure("all", "%all", sorted, &cx);
    sorting_fini(&s);
    model_fini(&m);
    return 0;
}
