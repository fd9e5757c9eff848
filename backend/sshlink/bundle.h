/* bundle.h - what a node gets: the programs that lie beside this one.
 *
 * Named by its content: a node that has a bundle of that name needs nothing. The files stay mapped, so that
 * sixty-four nodes at once cost no memory; they must be replaced by new files (as make and install do), not
 * written over.
 */
#ifndef STOKER_BACKEND_SSHLINK_BUNDLE_H
#define STOKER_BACKEND_SSHLINK_BUNDLE_H

#include "src/base/err.h"
#include "src/base/str.h"

#define BUNDLE_FILES   3
#define BUNDLE_ID_SIZE 33

struct bundle_file {
    const char *name;
    const uint8_t *p;
    size_t n;
};

struct bundle {
    char id[BUNDLE_ID_SIZE]; /* of the contents, hexadecimal */
    char arch[65];           /* what `uname -m` must say on the node */
    struct bundle_file files[BUNDLE_FILES];
    struct strv names; /* links to `stoker`: srun, squeue ... */
};

/* dir: where the programs lie. */
int bundle_open(struct bundle *k, const char *dir, struct errtext *err) __attribute__((warn_unused_result));
void bundle_close(struct bundle *k);
const struct bundle_file *bundle_find(const struct bundle *k, const char *name);

#endif
