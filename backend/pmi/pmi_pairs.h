/* pmi_pairs.h - what the ranks of a step have put: values by name, bounded in bytes. */
#ifndef STOKER_BACKEND_PMI_PAIRS_H
#define STOKER_BACKEND_PMI_PAIRS_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/proto/msg.h"

struct pmi_pair {
    char *key, *value;
    bool is_new; /* put by a rank here since the last fence */
};

struct pmi_pairs {
    VEC(struct pmi_pair) pairs, attrs; /* attrs: of this node alone */
    struct idmap by_key;               /* hash, or the next free number after it -> index + 1 */
    VEC(uint32_t) part;                /* indices of the new pairs: this task's part of the next fence */
    size_t bytes, part_bytes;          /* of pairs and attrs; of the part */
};

/* Bytes as the bounds count them. */
size_t pmi_pairs_size(const struct pmi_pair *pair);
/* NULL: there is none. Valid until the next put. */
const char *pmi_pairs_get(const struct pmi_pairs *p, const char *key);
/* False where the step has put more than PMI_PAIRS_MAX. */
bool pmi_pairs_put(struct pmi_pairs *p, const char *key, const char *value, uint32_t *ret_index);
/* As put, of a rank here. travels: other nodes are to know it, so that all new ones must fit into
 * PMI_PART_MAX. */
bool pmi_pairs_put_own(struct pmi_pairs *p, const char *key, const char *value, bool travels);
/* What was new is known to all tasks. */
void pmi_pairs_clear_part(struct pmi_pairs *p);

const char *pmi_pairs_get_attr(const struct pmi_pairs *p, const char *key);
bool pmi_pairs_put_attr(struct pmi_pairs *p, const char *key, const char *value);

#endif
