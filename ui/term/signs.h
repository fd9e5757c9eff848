/* signs.h - the signs of the screens, and what they are on a terminal that has ASCII alone. Views write the
 * Unicode signs; the canvas puts the others in their place. */
#ifndef UI_TERM_SIGNS_H
#define UI_TERM_SIGNS_H

#include "src/base/str.h"
#include "ui/theme/roles.h"

#define SIGN_BRAILLE 0x2800u /* no dots; the eight bits above are the dots */

/* States of jobs and tasks: the letter is what ASCII has. */
#define SIGN_RUNNING   "\u25b6"
#define SIGN_WAITING   "\u25f7"
#define SIGN_HELD      "\u2016"
#define SIGN_DONE      "\u2713"
#define SIGN_FAILED    "\u2717"
#define SIGN_CANCELLED "\u2298"
#define SIGN_PREEMPTED "\u21ba"
#define SIGN_ENDING    "\u25b7"
#define SIGN_STARTING  "\u25b9"
#define SIGN_SUSPENDED "\u25eb"
#define SIGN_TIMEOUT   "\u25ca"
#define SIGN_MEMORY    "\u229e"
#define SIGN_NODE_FAIL "\u22a0"
#define SIGN_DEADLINE  "\u2691"

/* States of nodes. */
#define SIGN_NODE_FREE     "\u25cb"
#define SIGN_NODE_PART     "\u25d0"
#define SIGN_NODE_FULL     "\u25c9"
#define SIGN_NODE_OUT      "\u2715" /* lost, down */
#define SIGN_NODE_DRAINING "\u25bd"
#define SIGN_NODE_DRAINED  "\u25bc"
#define SIGN_NODE_KEPT     "\u25a8" /* a window keeps it from other jobs */

/* The sign of a state that has that letter (R P H D ! X ~ c s S T M N L); the letter itself where it has no
 * other. */
const char *sign_of(char letter, char buf[static 2]);

/* What a full cell of that part of a bar (ROLE_BAR_*) is where there are no colours. */
const char *bar_sign(enum role role);
/* What stands for the end of that part, eighths of a cell, where there are no colours: a full cell or a
 * free one, which nearly full ones are too. 0: cp is no such end. */
uint32_t sign_of_end(enum role role, uint32_t cp);

/* Appends s with ASCII in place of each sign; other characters stay. role: of ends of bars. */
void signs_to_ascii(struct str *out, const char *s, enum role role);

#endif
