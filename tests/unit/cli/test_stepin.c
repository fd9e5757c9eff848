/* Standard input for a step: what is kept until all nodes have taken it. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/step/stepin.h"
#include "tests/lib/check.h"

#define WINDOW (64 << 10)

static struct task *add_task(struct step *s)
{
    struct task *t = rec_list_push(&s->tasks);
    t->state = TASK_RUNNING;
    t->n_ranks = 1;
    return t;
}

/* One node has taken all there is, the other nothing: then it ends. */
static void an_end_makes_room_for_the_others(void **unused)
{
    (void)unused;
    struct follow f = {.job = 1}; /* no connection: nothing leaves */
    struct stepin in;
    struct step s = {.n_tasks = 2};
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), old = dup(STDIN_FILENO);
    assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) >= 0);
    add_task(&s);
    add_task(&s);
    stepin_init(&in, &f, true);
    stepin_update(&in, &s, 0);
    stepin_read(&in);
    check_int("full", stepin_fd(&in), -1);

    in.targets.v[0].asked = true;
    in.targets.v[0].tag = 7;
    struct msg_input_ack ack = {.offset = WINDOW};
    struct incoming got = {.kind = MSG_INPUT_ACK, .tag = 7, .body = &ack};
    assert_true(stepin_take(&in, &got, 0));
    check_int("still full: the other has nothing yet", stepin_fd(&in), -1);
    s.tasks.v[1].state = TASK_DONE;
    stepin_update(&in, &s, 0);
    check_int("it reads on", stepin_fd(&in), STDIN_FILENO);
    check_int("from there", (int64_t)in.offset, WINDOW);
    s.tasks.v[0].state = TASK_DONE;
    stepin_update(&in, &s, 0);
    check_int("no reader any more", stepin_fd(&in), -1);

    stepin_fini(&in);
    rec_fini(&step_rec, &s);
    dup2(old, STDIN_FILENO);
    close(old);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_end_makes_room_for_the_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
