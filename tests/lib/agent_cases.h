/* agent_cases.h - what the tests of a real agent (tests/integ/test_agent_*.c) have in common, on top of the
 * driver. */
#ifndef STOKER_TESTS_LIB_AGENT_CASES_H
#define STOKER_TESTS_LIB_AGENT_CASES_H

#include "tests/lib/agent_driver.h"
#include "tests/lib/check.h"

#define OTHER_UID 65534 /* the user nobody, for whom every case runs a second time */

/* A case with a driver of its own as *state, connected to an agent of its own. */
#define AGENT_CASE(name) cmocka_unit_test_setup_teardown(name, driver_set_up, driver_tear_down)
int driver_set_up(void **state);
int driver_tear_down(void **state);
/* Runs the cases, as root once more as an ordinary user; argv[1]: those whose names fit alone, once.
 * Returns the status of the program. */
#define agent_cases(tests, argc, argv) \
    agent_cases_ended(cmocka_run_group_tests_name(agent_cases_begin(argc, argv), tests, NULL, NULL), argc, argv)
const char *agent_cases_begin(int argc, char **argv);
int agent_cases_ended(int failed, int argc, char **argv);

/* driver_run, and waits until it runs. */
void driver_run_as(struct driver *d, uint32_t job, const char *command);
void driver_end_free(struct launch_end *e);
void driver_script_init(struct driver *d, struct launch *l, uint32_t job, const char *script);
/* A step of n ranks; their outputs go to the file out. */
void driver_step_init(struct driver *d, struct launch *l, uint32_t job, uint32_t ranks,
                      const char *command);
void driver_outputs(struct launch *l, const char *out);
void driver_put_task_off(struct driver *d, uint32_t job); /* kills it and waits for its end */

void driver_check_output(struct driver *d, const char *name, const char *want);
/* The pid that the task has written, or writes, into a file. */
pid_t driver_pid_in(struct driver *d, const char *name);
pid_t driver_shim_of(struct driver *d, uint32_t job);
void driver_stop(pid_t pid); /* SIGSTOP, and waits until it stands still */
/* Conditions for driver_await: of a pid_t; of a path. */
bool driver_is_gone(void *ctx);
bool driver_dir_is_empty(void *ctx);

#endif
