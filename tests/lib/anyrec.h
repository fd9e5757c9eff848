/* anyrec.h - random records of any kind, the same again for the same seed. */
#ifndef STOKER_TESTS_LIB_ANYREC_H
#define STOKER_TESTS_LIB_ANYREC_H

#include "src/record/rec.h"

/* From TEST_SEED, else another each time; printed with the name of the test. */
void anyrec_set_seed(const char *test);
uint64_t anyrec_random(void);
uint32_t anyrec_below(uint32_t n);

/* Most members are set, to edges as often as to anything else. rec: zeroed. */
void anyrec_fill(const struct rec_desc *d, void *rec);
void *anyrec_new(const struct rec_desc *d);
void anyrec_free(const struct rec_desc *d, void *rec);

#endif
