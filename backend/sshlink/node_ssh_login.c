/* node_ssh_login.c - who answers, who we are, and what is to run there: from the key exchange to the
 * command.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sshlink/node_ssh_internal.h"
#include "backend/sshlink/ssh_keys.h"
#include "src/base/xalloc.h"

#define KEYS_MAX 4 /* sshd allows six tries by default */

/* Only a key that is in the file is a known one; every other answer of libssh is a refusal. */
static bool check_host_key(struct line *ln)
{
    const char *type = "?";
    char *print = keys_fingerprint(ln->ssh, &type);
    enum ssh_known_hosts_e known = ssh_session_is_known_server(ln->ssh);
    const char *p = print ? print : "?";
    bool is_new = known == SSH_KNOWN_HOSTS_UNKNOWN || known == SSH_KNOWN_HOSTS_NOT_FOUND;
    if (is_new && print && ln->accept && strcmp(print, ln->accept) == 0)
        known = ssh_session_update_known_hosts(ln->ssh) == SSH_OK ? SSH_KNOWN_HOSTS_OK : known;
    if (known == SSH_KNOWN_HOSTS_OK) {
        line_told(ln, LINE_KEY_KNOWN, p);
    } else if (is_new) {
        line_fail(
            ln, LINK_FAULT_HOSTKEY_UNKNOWN,
            "its host key %s (%s) is not in %s: compare it with what the machine says (ssh-keygen -lf "
            "/etc/ssh/ssh_host_ed25519_key.pub there), then: stoker node accept %s %s",
            p, type, ln->to.known_hosts, ln->to.node, p);
    } else {
        char *name =
            ln->to.port == 22 ? xstrdup(ln->to.address) : xasprintf("[%s]:%u", ln->to.address, ln->to.port);
        line_fail(ln, LINK_FAULT_HOSTKEY_CHANGED,
                  "its host key has CHANGED to %s (%s): refused, it may be another machine. If it was "
                  "installed anew: ssh-keygen -R '%s' -f %s, then: stoker node accept %s %s",
                  p, type, name, ln->to.known_hosts, ln->to.node, p);
        free(name);
    }
    free(print);
    return known == SSH_KNOWN_HOSTS_OK;
}

static bool step_kex(struct line *ln)
{
    int r = ssh_connect(ln->ssh);
    int flags = fcntl(ln->fd, F_GETFL);
    if (ssh_get_fd(ln->ssh) != -1 && flags >= 0) /* libssh clears it */
        fcntl(ln->fd, F_SETFL, flags | O_NONBLOCK);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        line_lost(ln);
        return true;
    }
    if (check_host_key(ln))
        ln->phase = LOGIN;
    return true;
}

static void refuse_login(struct line *ln)
{
    ssh_key first = NULL;
    for (size_t i = 0; i < ln->to.identities.n && !first; i++)
        first = keys_get(ln->keys, ln->to.identities.v[i], NULL);
    if (!first) {
        line_fail(ln, LINK_FAULT_LOGIN, "there is no key to log in with (%s): stoker node key makes one",
                  ln->refused.len ? ln->refused.s : "none is named");
        return;
    }
    char *line = keys_public_line(first), *cure;
    if (ln->is_shared)
        cure = keys_node_cure(ln->to.node, line);
    else
        cure = xasprintf("put this line into ~%s/.ssh/authorized_keys there: %s", ln->to.user, line);
    line_fail(ln, LINK_FAULT_LOGIN, "%s@%s does not accept %s: %s", ln->to.user, ln->to.address,
              ln->refused.s, cure);
    free(cure);
    free(line);
}

static bool step_login(struct line *ln)
{
    while (!ln->key) {
        struct errtext err = {""};
        if (ln->key_at >= ln->to.identities.n || ln->key_at >= KEYS_MAX) {
            refuse_login(ln);
            return true;
        }
        const char *file = ln->to.identities.v[ln->key_at++];
        ln->key = keys_get(ln->keys, file, &err);
        str_appendf(&ln->refused, "%s%s", ln->refused.len ? ", " : "", ln->key ? file : err.s);
    }
    int r = ssh_userauth_publickey(ln->ssh, NULL, ln->key);
    if (r == SSH_AUTH_AGAIN)
        return false;
    if (r == SSH_AUTH_ERROR) {
        line_lost(ln);
        return true;
    }
    ln->key = NULL;
    if (r != SSH_AUTH_SUCCESS)
        return true; /* the next key */
    line_told(ln, LINE_LOGGED_IN, ln->to.identities.v[ln->key_at - 1]);
    ln->channel = ssh_channel_new(ln->ssh);
    bug_on(!ln->channel);
    line_attach(ln);
    ln->phase = OPEN;
    return true;
}

static bool step_exec(struct line *ln)
{
    int r = ssh_channel_request_exec(ln->channel, ln->command);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        line_lost(ln);
        return true;
    }
    ln->event = ssh_event_new();
    bug_on(!ln->event || ssh_event_add_session(ln->event, ln->ssh) != SSH_OK);
    if (ln->phase == EXEC)
        ln->phase = BOOT;
    line_told(ln, LINE_ASKED, "");
    line_progress(ln);
    return true;
}

static bool step_open(struct line *ln)
{
    int r = ssh_channel_open_session(ln->channel);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK)
        line_lost(ln);
    else
        ln->phase = EXEC;
    return true;
}

bool line_step_login(struct line *ln)
{
    switch (ln->phase) {
    case KEX: return step_kex(ln);
    case LOGIN: return step_login(ln);
    case OPEN: return step_open(ln);
    case EXEC: return step_exec(ln);
    case WAITING:
    case CALLING:
    case CONNECTED:
    case BOOT:
    case UP:
    case OVER: break;
    }
    return false;
}
