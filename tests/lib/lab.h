/* lab.h - a cluster made of events, for tests of the state and of the policy.
 *
 * Every event that goes in is checked: the invariants hold afterwards, and one that was refused has changed
 * nothing. No I/O, no clock: a lab lives on its own time, one second an event.
 */
#ifndef STOKER_TESTS_LIB_LAB_H
#define STOKER_TESTS_LIB_LAB_H

#include "src/model/model.h"
#include "tests/lib/check.h"

struct lab {
    struct model m;
    struct cluster_spec spec; /* collected by lab_node and lab_part until lab_configure */
    struct wall now;
    uint32_t launches;
};

void lab_init(struct lab *l);
void lab_fini(struct lab *l);

/* Figures in force at once: no agent has to answer. gpu_type NULL: untyped. */
struct node_spec *lab_node(struct lab *l, const char *name, uint32_t cpus, uint64_t mem_mib, uint32_t gpus,
                           const char *gpu_type);
/* Over nodes in bracket form; the first one is the default. */
struct part_spec *lab_part(struct lab *l, const char *name, const char *nodes);
/* CONFIG with what was collected so far, and every node UP. */
void lab_configure(struct lab *l);

/* Folds an event; body is freed. Returns what model_apply says. */
int lab_apply(struct lab *l, enum event_kind kind, uint32_t job, void *body);
/* The same, and the test fails where it is refused. */
void lab_must(struct lab *l, enum event_kind kind, uint32_t job, void *body);

/* A new job of that kind with "not given" in everything; then lab_submit, which takes it. Returns the
 * id. */
struct job *lab_job(const struct lab *l, enum job_kind kind);
uint32_t lab_submit(struct lab *l, struct job *j);
uint32_t lab_submit_kind(struct lab *l, enum job_kind kind); /* lab_job and lab_submit in one */
/* A declared step at the end of j. */
struct step *lab_step(struct job *j, const char *name, uint32_t tasks);

/* An allocation: CPUs first .. first + n - 1, likewise GPUs. */
struct alloc lab_alloc(const char *node, unsigned first_cpu, unsigned cpus, unsigned first_gpu,
                       unsigned gpus, uint64_t mem_mib);
/* START of a job on one node. index ARRAY_NONE, new_id 0 for a plain job. */
int lab_start(struct lab *l, uint32_t job, uint32_t index, uint32_t new_id, struct alloc a);
int lab_place(struct lab *l, uint32_t job, int32_t step, uint32_t task, struct alloc a);
int lab_running(struct lab *l, uint32_t job, int32_t step, uint32_t task);
int lab_end(struct lab *l, uint32_t job, int32_t step, uint32_t task, enum end_kind kind, int32_t code,
            int32_t sig);
/* The same of one node of a task over several. */
int lab_end_part(struct lab *l, uint32_t job, int32_t step, const struct task *t, enum end_kind kind,
                 int32_t code);
int lab_kill(struct lab *l, uint32_t job, int32_t step, enum kill_cause cause, enum job_fate fate);
int lab_hold(struct lab *l, uint32_t job, enum job_hold hold);
int lab_requeue(struct lab *l, uint32_t job, bool hold);

struct job *lab_get(const struct lab *l, uint32_t job); /* must be there */
struct task *lab_task(const struct lab *l, uint32_t job, int32_t step, uint32_t task);
/* Ids of a list, "3 1 2"; the next call makes the text void. */
const char *lab_ids(const struct list *head);

/* Everything in a state, copied; what two of them differ in (NULL: nothing). lists: also the order of the
 * active and the ended list, and the usage, which a snapshot does not carry. */
struct lab_copy;
struct lab_copy *lab_copy_new(const struct model *m);
void lab_copy_free(struct lab_copy *c);
const char *lab_differs(const struct lab_copy *a, const struct lab_copy *b, bool lists);

#endif
