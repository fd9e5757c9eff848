/* test_pictures.c - the pictures in docs/screens are what the screens look like. `make screens` writes
 * them. */
#include "tests/lib/scene.h"
#include "tests/lib/uilab.h"

struct stage {
    struct uilab u;
    struct scene s;
};

static int set_up(void **state)
{
    static struct stage g;
    uilab_init(&g.u);
    scene_build(&g.u.lab, &g.s);
    uilab_connect(&g.u);
    *state = &g;
    return 0;
}

static int tear_down(void **state)
{
    uilab_fini(&((struct stage *)*state)->u);
    return 0;
}

static void jobs(void **state)
{
    struct stage *g = *state;
    uilab_picture(&g->u, "jobs", 30, 132);
}

static void jobs_small(void **state)
{
    struct stage *g = *state;
    uilab_picture(&g->u, "jobs-80x24", 24, 80);
}

static void job_page(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "/crossval<Enter><Enter>");
    uilab_picture(&g->u, "job", 30, 132);
}

static void nodes(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "2");
    uilab_picture(&g->u, "nodes", 30, 132);
}

static void confirm(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "/sweep<Enter>c");
    uilab_picture(&g->u, "cancel", 24, 80);
}

static void help(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "?");
    uilab_picture(&g->u, "help", 40, 100);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(jobs),  CASE(jobs_small), CASE(job_page),
                                       CASE(nodes), CASE(confirm),    CASE(help)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
