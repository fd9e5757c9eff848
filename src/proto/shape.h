/* shape.h - is this one MessagePack value that is safe to build?
 *
 * Five bytes can announce an array of gigabytes. Hence every body is looked over before anything is made of
 * it.
 */
#ifndef STOKER_PROTO_SHAPE_H
#define STOKER_PROTO_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#define SHAPE_MAX_DEPTH 16 /* arrays within arrays: the deepest of ours, ranks of tasks in JOBS, has 9 */

/* NULL where the n bytes are exactly one value made of arrays, strings, binaries, numbers, booleans and
 * nil, with no count that the bytes behind it could not fill; else what is wrong. */
const char *shape_check(const uint8_t *p, size_t n);

#endif
