/* ssh_keys.h - private keys of the controller, read once; host keys as fingerprints. */
#ifndef STOKER_BACKEND_SSHLINK_SSH_KEYS_H
#define STOKER_BACKEND_SSHLINK_SSH_KEYS_H

#include <libssh/libssh.h>
#include <sys/types.h>
#include <time.h>

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/base/vec.h"

/* Keys that were read. One process, one thread that uses libssh: sixty-four nodes share one key. */
struct key_file {
    char *file;
    struct timespec changed;
    ino_t ino;
    ssh_key key;
};
struct keys {
    VEC(struct key_file) files;
    VEC(ssh_key) old; /* replaced; a login may still be under way with one */
};

/* The key in file, NULL with a text where there is none to use. Read again where the file has changed.
 * Valid until keys_fini. */
ssh_key keys_get(struct keys *k, const char *file, struct errtext *err);
void keys_fini(struct keys *k);
/* "ssh-ed25519 AAAA... stoker@HOST" of a private key. Caller frees. */
char *keys_public_line(ssh_key key);
/* What an administrator does on a node of shared mode, so that the key of that public line reaches the
 * agent's service and nothing else. Caller frees. */
char *keys_node_cure(const char *node, const char *public_line);
/* "SHA256:..." of the server's key, NULL where there is none. Caller frees. */
char *keys_fingerprint(ssh_session s, const char **ret_type);
/* Makes an ed25519 key in file (0600) and file.pub. */
int keys_make(const char *file, struct errtext *err) __attribute__((warn_unused_result));

#endif
