/* test_pictures.c - the pictures in docs/screens are what the screens look like. `make screens` writes
 * them. */
#include "tests/screen/stage.h"

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

static void gpus(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "3");
    uilab_picture(&g->u, "gpus", 24, 132);
}

static void history(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "6");
    uilab_picture(&g->u, "history", 24, 132);
}

static void command(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, ":drain gpu0");
    uilab_picture(&g->u, "command", 24, 80);
}

static void form(void **state)
{
    struct stage *g = *state;
    uilab_keys(&g->u, "sfinetune<Down><Down><Down>a100:4<Down>48<Down>256G<Down>12:00:00<Down>gpu");
    uilab_keys(&g->u, "<Tab>source env.sh<Enter>python train.py --epochs 20<Tab><Up>");
    uilab_wait(&g->u, 400);
    uilab_result(&g->u, MSG_SUBMIT, REFUSAL_NONE,
                 "to start at 2026-11-21T14:20:00 at the latest, in partition gpu", 0);
    uilab_result(&g->u, MSG_SUBMIT, REFUSAL_NONE, "now", 1);
    uilab_picture(&g->u, "form", 34, 132);
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

int main(void)
{
    const struct CMUnitTest tests[] = {STAGE_CASE(jobs),    STAGE_CASE(jobs_small), STAGE_CASE(job_page),
                                       STAGE_CASE(nodes),   STAGE_CASE(gpus),       STAGE_CASE(history),
                                       STAGE_CASE(command), STAGE_CASE(form),       STAGE_CASE(gpus),
                                       STAGE_CASE(history), STAGE_CASE(command),    STAGE_CASE(confirm),
                                       STAGE_CASE(help)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
