/* form_environments.h - what can be loaded before a command: modules, conda environments, virtual
 * environments, each as the line that loads it. */
#ifndef UI_FORM_FORM_ENVIRONMENTS_H
#define UI_FORM_FORM_ENVIRONMENTS_H

#include "src/base/str.h"

struct form_environments {
    struct strv lines; /* "module load cuda/12.2", ". /opt/conda/bin/activate torch" */
    struct strv notes; /* what each is, of each */
};

/* Asks `module avail` in a login shell, for ENVIRONMENTS_WAIT_MS at most, and reads the list of
 * environments that conda keeps; conda itself is not run. dir: where the job runs, which may have a .venv;
 * NULL: not known. Blocks on files and on that program. */
#define ENVIRONMENTS_WAIT_MS 5000
void formenvironments_list(struct form_environments *ret, const char *dir);
void formenvironments_fini(struct form_environments *e);

/* Of "module load A" and "module load B" it makes "module load A B"; other lines follow. Caller frees. */
char *formenvironments_add(const char *value, const char *line) __attribute__((warn_unused_result));

/* The modules of the output of `module -t avail`, without their marks. */
void formenvironments_read_modules(const char *output, struct strv *ret);

#endif
