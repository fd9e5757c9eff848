/* test_label_width.c - a controller that was broken into asks for labels of two thousand million digits:
 * the supervisor, which is root's, made them. */
#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void labels_have_the_digits_of_a_rank(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 2, "echo hello");
    driver_outputs(&l, "1.out");
    l.label = true;
    l.label_width = 200000000;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
    char *text = driver_file(d, "1.out");
    check_has("its output", text, "0000000000: hello\n");
    assert_in_range(strlen(text), 20, 60);
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(labels_have_the_digits_of_a_rank)};
    return agent_cases(tests, argc, argv);
}
