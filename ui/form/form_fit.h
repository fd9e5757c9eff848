/* form_fit.h - what nodes of a partition could give to a request: for offers that are accepted when they
 * are taken. An offer is made over the nodes that have everything else that is asked for. */
#ifndef UI_FORM_FORM_FIT_H
#define UI_FORM_FORM_FIT_H

#include "src/model/model.h"
#include "src/model/need.h"
#include "ui/state/view.h"

enum fit_part { FIT_GPUS, FIT_CPUS, FIT_MEM, FIT_PARTS };

/* What one node must have: memory in MiB. 0: nothing is asked for. */
struct form_fit {
    const struct model *m;
    const struct part_spec *part;
    const struct job_req *req;
    struct job_need need;
    uint64_t asked[FIT_PARTS];
    uint64_t alone[FIT_PARTS]; /* the most that a node has, whatever else it lacks */
    uint64_t most[FIT_PARTS];  /* that as many nodes as are needed have, beside all else that some have */
    uint32_t n_nodes;          /* of the partition that the request may use */
    bool fits;                 /* as many nodes as are needed have all of it */
    bool typed;                /* a node has GPUs of the type that is asked for, or any */
    bool sure;                 /* each node gives the same, and the request says nothing else */
};

/* ret points into its arguments. */
void formfit_look(struct form_fit *ret, const struct model *m, const struct part_spec *part,
                  const struct job_req *req);
/* Whether enough nodes have free resources now. Planned starts of other jobs are not considered. Returns
 * false also if it cannot be told. */
bool formfit_has_room_now(const struct ui *ui, const struct form_fit *f);
/* The smallest number of nodes that together have the requested GPUs and each have the rest; 0: the
 * partition has too few. *ret_all: the GPUs of such nodes. */
uint32_t formfit_nodes_for_gpus(const struct form_fit *f, uint32_t *ret_all);
/* "2 GPUs and 8 CPUs": what else than that part is asked for; nothing: no word. */
void formfit_rest(const struct form_fit *f, enum fit_part except, struct str *out);

#endif
