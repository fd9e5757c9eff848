/* test_anykeys.c - whatever is typed, clicked, pasted and answered, in whatever order and size: the screens
 * go on. SEED=N repeats a run; ROUNDS=N makes it longer. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/screen/ui_fixture.h"

#define KEYS_IN_A_ROUND 1500

static uint64_t state_of_dice;

static uint32_t dice(uint32_t n)
{
    state_of_dice = state_of_dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_dice >> 33) % n;
}

static uint32_t any_key(void)
{
    static const uint32_t special[] = {
        KEYNAME_UP,     KEYNAME_DOWN,  KEYNAME_LEFT,  KEYNAME_RIGHT, KEYNAME_ENTER, KEYNAME_ENTER,
        KEYNAME_ESC,    KEYNAME_TAB,   KEYNAME_STAB,  KEYNAME_HOME,  KEYNAME_END,   KEYNAME_BACKSPACE,
        KEYNAME_DELETE, KEYNAME_PGUP,  KEYNAME_PGDN,  KEYNAME_F1,    KEYNAME_F3,    KEYNAME_F4,
        KEYNAME_F6,     KEYNAME_F7,    KEYNAME_F8,    KEYNAME_F9,    KEYNAME_F10,   CTRL_KEY('d'),
        CTRL_KEY('u'),  CTRL_KEY('w'), CTRL_KEY('k'), CTRL_KEY('s'), CTRL_KEY('o'), CTRL_KEY('t')};
    static const char letters[] = "1234567jkgGwlcCHUReWdamsSBFoOt*vuxyY/:?ZMA[]EnNf qq#-=\"'\\,.";
    return dice(3) ? special[dice(N_OF(special))] : (uint32_t)letters[dice(sizeof letters - 1)];
}

/* What was asked last is answered: well, badly, or with nothing. */
static void answer_something(struct uilab *u)
{
    if (!u->sent.n)
        return;
    const struct uilab_sent s = u->sent.v[dice((uint32_t)u->sent.n)];
    struct msg_result r = {
        .refusal = dice(2) ? REFUSAL_NONE : REFUSAL_NOT_ALLOWED, .job = 7, .count = dice(3)};
    struct msg_why w = {.rank = dice(3), .rank_of = 4};
    struct msg_plan p = {.now = u->lab.now};
    struct msg_script script = {.script = {.p = NULL, .n = 0}};
    struct msg_history_end end = {.n = 0};
    char text[] = "some text\n\033[31m";
    switch ((int)s.kind) {
    case MSG_GET: return;
    case MSG_WHY: uilab_feed(u, MSG_WHY_CAUSES, s.tag, &w); return;
    case MSG_PLAN: uilab_feed(u, MSG_PLAN_DATA, s.tag, &p); return;
    case MSG_SCRIPT: uilab_feed(u, MSG_SCRIPT_TEXT, s.tag, &script); return;
    case MSG_HISTORY: uilab_feed(u, MSG_HISTORY_END, s.tag, &end); return;
    default:
        r.text = text;
        uilab_feed(u, MSG_RESULT, s.tag, &r);
        r.text = NULL;
    }
}

static void change_something(struct uilab *u)
{
    struct job *any[200];
    size_t n = 0;
    list_for_each (j, &u->lab.m.all, struct job, in_all)
        if (n < N_OF(any))
            any[n++] = j;
    struct job *j = n ? any[dice((uint32_t)n)] : NULL;
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1000, .fate = FATE_END};
    struct ev_none none = {0};
    struct ev_hold hold = {.hold = dice(2) ? HOLD_USER : HOLD_NONE, .uid = 1000};
    if (!j)
        return;
    if (job_state_is_final((enum job_state)j->state))
        uilab_push(u, EV_RETIRE, j->id, &none);
    else if (j->state == JOB_PENDING && dice(2))
        uilab_push(u, EV_HOLD, j->id, &hold);
    else if (j->state == JOB_PENDING || j->state == JOB_RUNNING)
        uilab_push(u, EV_KILL, j->id, &kill);
}

static void one_round(uint64_t seed)
{
    struct uilab u;
    struct demo_cluster s;
    state_of_dice = seed;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    for (int i = 0; i < KEYS_IN_A_ROUND; i++) {
        struct input in = input_key(any_key());
        struct input mouse = {
            .kind = INPUT_MOUSE, .what = (enum mouse_what)dice(4), .y = (int)dice(50), .x = (int)dice(200)};
        app_input(u.app, dice(15) ? &in : &mouse);
        if (dice(60) == 0)
            uilab_paste(&u, "#SBATCH --gpus=2\n\033[A x\n");
        if (dice(20) == 0)
            answer_something(&u);
        if (dice(25) == 0)
            change_something(&u);
        if (dice(10) == 0)
            uilab_wait(&u, dice(3000));
        if (dice(200) == 0)
            follow_lost(u.app, "the test cut it");
        if (dice(40) == 0)
            uilab_connect(&u);
        for (int k = 0; k < 100 && app_work(u.app); k++)
            ;
        (void)outbox_take(u.app);
        if (dice(5) == 0)
            uilab_draw(&u, 1 + (int)dice(60), 1 + (int)dice(210));
    }
    uilab_draw(&u, 24, 80);
    uilab_fini(&u);
}

static void anything_goes(void **state)
{
    (void)state;
    const char *seed = getenv("SEED"), *rounds = getenv("ROUNDS");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    for (int i = 0; i < (rounds ? atoi(rounds) : 4); i++) {
        printf("SEED=%llu\n", (unsigned long long)(first + (uint64_t)i));
        fflush(stdout);
        one_round(first + (uint64_t)i);
    }
}

int main(void)
{
    char own[] =
        "/tmp/stoker-anykeys.XXXXXX"; /* where the test is started without the runner: make screens */
    const char *dir = getenv("TMPDIR");
    bool has_own = !dir;
    dir = dir ? dir : mkdtemp(own);
    if (!dir || chdir(dir) != 0) /* keys may save an output where they are */
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(anything_goes)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *remove = xasprintf("rm -r %s", own);
    if (has_own && system(remove) != 0)
        failed = 1;
    free(remove);
    return failed;
}
