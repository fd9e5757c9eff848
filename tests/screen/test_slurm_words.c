/* test_slurm_words.c - commands that users know from Slurm, jobs that Tab offers, jobs that end meanwhile.
 */
#include "tests/screen/ui_fixture.h"

/* The commands of Slurm lead to the screens that answer them. */
static void slurms_words_open_screens(void **state)
{
    static const struct {
        const char *keys, *want;
    } rows[] = {
        {":squeue<Enter>", "Jobs 15"},
        {":squeue -u bo<Enter>", "filter user:bo"},
        {":squeue --user=bo -pgpu<Enter>", "filter user:bo part:gpu"},
        {":squeue --me<Enter>", "My jobs"},
        {":sinfo<Enter>", "Partitions"},
        {":sinfo -N<Enter>", "Nodes 10"},
        {":sinfo -n gpu01<Enter>", "filter node:gpu01"},
        {":sacct -u chen<Enter>", "filter user:chen"},
        {":scontrol show partition gpu<Enter>", "filter partition:=gpu"},
        {":scontrol show nodes<Enter>", "Nodes 10"},
        {":scontrol show node gpu01<Enter>", "gpu01"},
        {":scontrol show<Enter>", "scontrol show job ID, node NAME"},
        {":scontrol ping<Enter>", "here scontrol knows show, hold"},
        {":scontrol update nodename=gpu01 state=drain reason=fan is loud<Enter>", "fan is loud"},
        {":scontrol hold 53<Enter>", "hold 1 job"},
        {":scontrol update jobid=53 timelimit=1:00:00<Enter>", "to timelimit=1:00:00"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uilab_keys(&g->u, "<Esc><Esc><Esc>1:filter<Enter>");
        struct view *jobs = ui_view(g->u.app);
        if (*jobs->ops->mine(jobs))
            uilab_keys(&g->u, "m");
        keys_show(&g->u, rows[i].keys, rows[i].want);
    }
}

/* What can be cancelled is offered, the user's own first; a command that ends jobs is never guessed. */
static void own_jobs_are_offered_first(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    u->app->session.welcome.uid = 1001;
    uilab_keys(u, ":cancel ");
    uilab_draw(u, 24, 80);
    must_show(u, "train-resnet, bo");
    must_not_show(u, "prepare"); /* it has ended */
    if (uilab_find(u, "finetune-7b, bo") > uilab_find(u, "pretrain, alice"))
        fail_msg("others' jobs come first:\n%s", uilab_text(u));
    uilab_keys(u, "<Esc>");
    u->app->session.welcome.admin = false;
    uilab_keys(u, ":cancel ");
    uilab_draw(u, 24, 80);
    must_not_show(u, ", alice");
    uilab_keys(u, "<Esc>");
    keys_show(u, ":sqeueu<Enter>", "there is no command");
    must_not_show(u, "requeue");
}

/* Another screen was faster. */
static void what_has_ended_is_said(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct ev_end end = {.step = STEP_BATCH, .attempt = 1, .end_kind = END_EXITED, .t_end = u->lab.now};
    uilab_keys(u, "/train<Enter>c");
    uilab_draw(u, 24, 80);
    must_show(u, "n keep");
    uilab_push(u, EV_END, g->s.train, &end);
    keys_show(u, "y", "has ended meanwhile");
    assert_null(uilab_sent(u, MSG_ACT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(slurms_words_open_screens),
        UI_FIXTURE_CASE(own_jobs_are_offered_first),
        UI_FIXTURE_CASE(what_has_ended_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
