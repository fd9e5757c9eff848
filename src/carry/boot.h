/* boot.h - the first words with another machine: a line for its shell, and what comes back until the frames
 * of the program there flow.
 *
 *     here                              the login shell there
 *      | exec: sh -c '...'  ------------->  is the bundle there?
 *      |  <------------ STOKER@@ SEND name arch      no: for each file
 *      |  contents, exactly their size  -->
 *      |  <------------ STOKER@@ BRIDGE 1            exec stoker-agent --bridge, or stoker-slurm --stdio
 *      |  frames  <====================>
 *
 * What the shell's start-up files print in front of a marked line is skipped. Pure: bytes in, words out.
 */
#ifndef STOKER_CARRY_BOOT_H
#define STOKER_CARRY_BOOT_H

#include "src/carry/bundle.h"

#define BOOT_MARK "STOKER@@ "
/* What the program there says before frames flow; behind "BRIDGE 1 " stand the user, HOME and SHELL where
 * it is a user's own machine. */
#define BOOT_BRIDGE BOOT_MARK "BRIDGE 1"

/* The command for a user's own machine at the other end of their ssh: the first file with --stdio. The
 * bundle is theirs alone. */
void boot_command_user(struct str *out, const struct bundle *k);
/* The command for a node: its agent's bridge. node and cluster must be plain words (boot_is_word). */
void boot_command_node(struct str *out, const struct bundle *k, const char *cluster, const char *node);
/* Letters, digits, . _ - alone, and not beginning with - or . */
bool boot_is_word(const char *s);

enum boot_event {
    BOOT_MORE,   /* nothing to do yet */
    BOOT_SEND,   /* the other end waits for boot.name */
    BOOT_UP,     /* the program speaks: everything behind the consumed bytes belongs to the stream */
    BOOT_FAILED, /* boot.text says why */
};

struct boot {
    struct str line;
    size_t skipped;
    char name[64], arch[65];
    char text[512];
    char rest[4096]; /* with BOOT_UP: what stands behind "BRIDGE 1 " */
};

void boot_init(struct boot *b);
void boot_fini(struct boot *b);
/* Takes bytes up to and including the line that is an event. *ret_used: how many. */
enum boot_event boot_feed(struct boot *b, const char *p, size_t n, size_t *ret_used);

#endif
