/* bundle.h - what a node gets: the programs that lie beside this one.
 *
 * Named by its content: a node that has a kit of that name needs nothing. The files stay mapped, so that
 * sixty-four nodes at once cost no memory; they must be replaced by new files (as make and install do), not
 * written over.
 */
#ifndef STOKER_BACKEND_SSHLINK_BUNDLE_H
#define STOKER_BACKEND_SSHLINK_BUNDLE_H

#include "src/base/err.h"
#include "src/base/str.h"

#define KIT_FILES   3
#define KIT_ID_SIZE 33

struct kit_file {
    const char *name;
    const uint8_t *p;
    size_t n;
};

struct kit {
    char id[KIT_ID_SIZE]; /* of the contents, hexadecimal */
    char arch[65];        /* what `uname -m` must say on the node */
    struct kit_file files[KIT_FILES];
    struct strv names; /* links to `stoker`: srun, squeue ... */
};

/* dir: where the programs lie. */
int kit_open(struct kit *k, const char *dir, struct errtext *err) __attribute__((warn_unused_result));
void kit_close(struct kit *k);
const struct kit_file *kit_find(const struct kit *k, const char *name);

#endif
