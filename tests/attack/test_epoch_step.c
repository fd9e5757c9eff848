/* test_epoch_step.c - who once is the controller's account tells a node an epoch that no controller
 * reaches: the node obeyed no other any more, for good. */
#include "tests/lib/agent_cases.h"

static void epochs_grow_in_steps(void **state)
{
    struct driver *d = *state;
    uint64_t own = d->epoch;
    static const uint64_t far[] = {1000000000, UINT64_C(1) << 40, UINT64_MAX / 2, UINT64_MAX};
    for (size_t i = 0; i < N_OF(far); i++) {
        d->epoch = far[i];
        struct msg_agent *m = driver_greet(d);
        check_has("its answer", m->refused ? m->refused : "taken", "too far ahead");
        msg_free(MSG_AGENT, m);
    }
    d->epoch = own + 1;
    driver_connect(d);
    driver_run(d, 1, "true");
    driver_end_free(driver_end(d, 1, true));
    d->epoch = own + 1000; /* many restarts while the node was away */
    driver_connect(d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(epochs_grow_in_steps)};
    return agent_cases(tests, argc, argv);
}
