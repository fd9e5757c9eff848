/* boot.h - the first words with a node: a line for its shell, and what comes back until the agent's frames
 * flow.
 *
 *     link                              the node's login shell
 *      | exec: sh -c '...'  ------------->  is the bundle there?
 *      |  <------------ STOKER@@ SEND name arch      no: for each file
 *      |  contents, exactly their size  -->
 *      |  <------------ STOKER@@ BRIDGE 1            exec stoker-agent --bridge
 *      |  frames  <====================>
 *
 * What the shell's start-up files print in front of a marked line is skipped. Pure: bytes in, words out.
 */
#ifndef STOKER_BACKEND_SSHLINK_BOOT_H
#define STOKER_BACKEND_SSHLINK_BOOT_H

#include "backend/sshlink/bundle.h"

#define BOOT_MARK "STOKER@@ "

/* The command to execute. node and cluster must be plain words (boot_is_word). */
void boot_command(struct str *out, const struct bundle *k, const char *cluster, const char *node);
/* Letters, digits, . _ - alone, and not beginning with - or . */
bool boot_is_word(const char *s);

enum boot_event {
    BOOT_MORE,   /* nothing to do yet */
    BOOT_SEND,   /* the node waits for boot.name */
    BOOT_UP,     /* the bridge speaks: everything behind the consumed bytes belongs to the stream */
    BOOT_FAILED, /* boot.text says why */
};

struct boot {
    struct str line;
    size_t skipped;
    char name[64], arch[65];
    char text[512];
};

void boot_init(struct boot *b);
void boot_fini(struct boot *b);
/* Takes bytes up to and including the line that is an event. *ret_used: how many. */
enum boot_event boot_feed(struct boot *b, const char *p, size_t n, size_t *ret_used);

#endif
