/* siphash.h - hashes of texts that users choose, which they cannot foresee.
 *
 * With hash_bytes anybody can make names that all fall together, and each look-up walks over all of them.
 * Source: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012. */
#ifndef STOKER_BASE_SIPHASH_H
#define STOKER_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 under a key of this process: for maps in memory. Another one in each process, so never for
 * what is stored, sent or shown, nor for anything that an order follows from. */
uint64_t hash_text(const void *p, size_t n);

/* SipHash with that number of rounds for each eight bytes, and at the end. */
uint64_t siphash(const uint64_t key[static 2], unsigned rounds, unsigned final_rounds, const void *p,
                 size_t n);

#endif
