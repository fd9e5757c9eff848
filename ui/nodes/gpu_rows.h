/* gpu_rows.h - every GPU of the cluster: whose it is and what it does, by node and summed up by type. */
#ifndef UI_NODES_GPU_ROWS_H
#define UI_NODES_GPU_ROWS_H

#include "src/base/vec.h"
#include "src/model/model.h"

#define GPU_TYPES_MAX 6 /* those beyond are one: "others" */

enum gpu_device {
    GPU_HELD, /* by a job; its use is not measured */
    GPU_BUSY,
    GPU_IDLE, /* held, and does nothing */
    GPU_FOREIGN,
    GPU_BROKEN,
    GPU_OUT,
    GPU_FREE
};

struct gpu_row_owner { /* a job that holds GPUs; an array as a whole */
    uint32_t key;      /* its id, or its array's */
    const struct job *job;
    uint32_t gpus;
    char letter; /* '&' where there is none left */
};

struct gpu_row {
    const struct node *node;
    uint32_t *owners; /* of each device; gpurows_owner */
    uint32_t held, busy, idle, foreign, broken, out, free;
};

struct gpu_type {
    const char *name;
    uint32_t all, held, busy, idle, foreign, broken, out, free, most; /* most: free on one node */
};

struct ui;

/* Zeroed but for ui. Points into the model. */
struct gpurows {
    struct ui *ui;
    struct gpu_row *rows;
    uint32_t *devices; /* of all rows */
    size_t n_rows;
    VEC(struct gpu_row_owner) owners;
    struct gpu_type types[GPU_TYPES_MAX];
    size_t n_types;
};

/* Reads the model again. The jobs with the most GPUs get the first letters. */
void gpurows_fill(struct gpurows *g);
/* Counts rows and types: for each picture, as what is measured changes without the model. */
void gpurows_count(struct gpurows *g);
/* The holder of device i; NULL where no job holds it. */
const struct gpu_row_owner *gpurows_owner(const struct gpurows *g, const struct gpu_row *r, unsigned i);
/* What was measured of device i just now; NULL: nothing. */
const struct gpu_util *gpurows_measured(const struct gpurows *g, const struct gpu_row *r, unsigned i);
enum gpu_device gpurows_device(const struct gpurows *g, const struct gpu_row *r, unsigned i);
void gpurows_fini(struct gpurows *g);

#endif
