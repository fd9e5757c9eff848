/* ssh_keys.c - keys through libssh. */
#include "backend/sshlink/ssh_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"

static struct key_file *keys_find(struct keys *k, const char *file)
{
    vec_for_each (&k->files, i)
        if (strcmp(k->files.v[i].file, file) == 0)
            return &k->files.v[i];
    vec_push(&k->files, (struct key_file){.file = xstrdup(file)});
    return &k->files.v[k->files.n - 1];
}

ssh_key keys_get(struct keys *keys, const char *file, struct errtext *err)
{
    struct stat st;
    if (stat(file, &st) < 0) {
        err_set(err, -errno, "key %s: %s", file, strerror(errno));
        return NULL;
    }
    if (st.st_uid != geteuid()) {
        err_set(err, -EPERM, "key %s belongs to another user", file);
        return NULL;
    }
    if (st.st_mode & 077) {
        err_set(err, -EPERM, "key %s can be read by others: chmod 600 %s", file, file);
        return NULL;
    }
    struct key_file *k = keys_find(keys, file);
    if (k->key && k->ino == st.st_ino && k->changed.tv_sec == st.st_mtim.tv_sec &&
        k->changed.tv_nsec == st.st_mtim.tv_nsec)
        return k->key;
    ssh_key key = NULL;
    /* A passphrase cannot be asked for here: with "" instead of NULL libssh does not try to. */
    if (ssh_pki_import_privkey_file(file, "", NULL, NULL, &key) != SSH_OK) {
        err_set(err, -EINVAL, "key %s cannot be used: it has a passphrase, or is not a private key", file);
        return NULL;
    }
    if (k->key)
        vec_push(&keys->old, k->key);
    k->key = key;
    k->ino = st.st_ino;
    k->changed = st.st_mtim;
    return key;
}

void keys_fini(struct keys *k)
{
    vec_for_each (&k->files, i) {
        ssh_key_free(k->files.v[i].key);
        free(k->files.v[i].file);
    }
    vec_for_each (&k->old, i)
        ssh_key_free(k->old.v[i]);
    vec_fini(&k->files);
    vec_fini(&k->old);
}

char *keys_public_line(ssh_key key)
{
    char *b64 = NULL, host[256] = "";
    if (ssh_pki_export_pubkey_base64(key, &b64) != SSH_OK)
        return xstrdup("?");
    gethostname(host, sizeof host - 1);
    char *line = xasprintf("%s %s stoker@%s", ssh_key_type_to_char(ssh_key_type(key)), b64, host);
    ssh_string_free_char(b64);
    return line;
}

char *keys_node_cure(const char *node, const char *public_line)
{
    return xasprintf("on that machine, as root: stoker init --node=%s --key='%s'", node, public_line);
}

char *keys_fingerprint(ssh_session s, const char **ret_type)
{
    ssh_key key = NULL;
    unsigned char *hash = NULL;
    size_t n = 0;
    if (ssh_get_server_publickey(s, &key) != SSH_OK)
        return NULL;
    if (ret_type)
        *ret_type = ssh_key_type_to_char(ssh_key_type(key));
    char *ours = NULL;
    if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &n) == SSH_OK) {
        char *print = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, n);
        ours = xstrdup(print);
        ssh_string_free_char(print);
        ssh_clean_pubkey_hash(&hash);
    }
    ssh_key_free(key);
    return ours;
}

static int keys_write_text(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), r = 0;
    if (fd < 0)
        return -errno;
    if (file_write_fd(fd, text, strlen(text)) < 0 || fsync(fd) < 0)
        r = -EIO;
    close(fd);
    return r;
}

int keys_make(const char *file, struct errtext *err)
{
    ssh_key key = NULL;
    if (access(file, F_OK) == 0)
        return err_set(err, -EEXIST, "%s is there already", file);
    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) != SSH_OK)
        return err_set(err, -EIO, "cannot make a key");
    mode_t old = umask(077);
    int r = ssh_pki_export_privkey_file(key, NULL, NULL, NULL, file) == SSH_OK ? 0 : -EIO;
    umask(old);
    char *line = keys_public_line(key), *pub = xasprintf("%s.pub", file), *text = xasprintf("%s\n", line);
    ssh_key_free(key);
    if (r < 0)
        err_set(err, r, "cannot write %s", file);
    else if (keys_write_text(pub, text, 0644) < 0)
        r = err_set(err, -EIO, "cannot write %s", pub);
    free(line);
    free(pub);
    free(text);
    return r;
}
