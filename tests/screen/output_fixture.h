/* output_fixture.h - a job that runs, with files for its output in a directory of its own: what the tests
 * of the output viewer begin with. */
#ifndef STOKER_TESTS_SCREEN_OUTPUT_FIXTURE_H
#define STOKER_TESTS_SCREEN_OUTPUT_FIXTURE_H

#include <unistd.h>

#include "tests/lib/uilab.h"

struct output_fixture {
    struct uilab u;
    char dir[64], out[128], err[128]; /* the files do not exist yet */
    uint32_t job;
};

static inline int output_fixture_up(void **state)
{
    static struct output_fixture g;
    struct uilab *u = &g.u;
    const char *tmp = getenv("TMPDIR");
    snprintf(g.dir, sizeof g.dir, "%s/ui.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(g.dir))
        return -1;
    snprintf(g.out, sizeof g.out, "%s/out.txt", g.dir);
    snprintf(g.err, sizeof g.err, "%s/err.txt", g.dir);
    uilab_init(u);
    lab_node(&u->lab, "n1", 8, 16384, 0, NULL);
    lab_part(&u->lab, "main", "n1");
    lab_configure(&u->lab);
    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    j->req.std_out = strdup(g.out);
    req_detail_mut(&j->req)->std_err = strdup(g.err);
    g.job = lab_submit(&u->lab, j);
    lab_start(&u->lab, g.job, ARRAY_NONE, 0, lab_alloc("n1", 0, 4, 0, 0, 1024));
    lab_running(&u->lab, g.job, STEP_BATCH, 0);
    *state = &g;
    return 0;
}

static inline int output_fixture_down(void **state)
{
    struct output_fixture *g = *state;
    uilab_fini(&g->u);
    unlink(g->out);
    unlink(g->err);
    rmdir(g->dir);
    return 0;
}

static inline void append(const char *path, const char *text)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* What stands on a screen of 80x24 once it is drawn again. */
#define must_show(u, part)                                                     \
    do {                                                                       \
        uilab_draw(u, 24, 80);                                                 \
        if (uilab_find(u, part) < 0)                                           \
            fail_msg("\"%s\" is not on the screen:\n%s", part, uilab_text(u)); \
    } while (0)
#define must_not_show(u, part)                                             \
    do {                                                                   \
        uilab_draw(u, 24, 80);                                             \
        if (uilab_find(u, part) >= 0)                                      \
            fail_msg("\"%s\" is on the screen:\n%s", part, uilab_text(u)); \
    } while (0)

#endif
