/* bundle.h - what another machine gets: programs that lie beside this one.
 *
 * Named by its content: a machine that has a bundle of that name needs nothing. The files stay mapped, so
 * that sixty-four nodes at once cost no memory; they must be replaced by new files (as make and install
 * do), not written over.
 */
#ifndef STOKER_CARRY_BUNDLE_H
#define STOKER_CARRY_BUNDLE_H

#include "src/base/err.h"
#include "src/base/str.h"

#define BUNDLE_FILES   4 /* at most */
#define BUNDLE_ID_SIZE 33

struct bundle_file {
    const char *name;
    const uint8_t *p;
    size_t n;
};

struct bundle {
    char id[BUNDLE_ID_SIZE]; /* of the contents, hexadecimal */
    char arch[65];           /* what `uname -m` must say there */
    struct bundle_file files[BUNDLE_FILES];
    size_t n_files;
    struct strv names; /* links to `stoker`, where that is one of the files: srun, squeue ... */
};

/* dir: where the programs lie. files: their names, up to a NULL; the first is the one that is run. Errors:
 * a negative errno with a text. */
int bundle_open(struct bundle *k, const char *dir, const char *const *files, struct errtext *err)
    __attribute__((warn_unused_result));
void bundle_close(struct bundle *k);
const struct bundle_file *bundle_find(const struct bundle *k, const char *name);

#endif
