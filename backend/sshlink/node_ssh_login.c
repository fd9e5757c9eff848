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
static bool check_host_key(struct node_ssh *ns)
{
    const char *type = "?";
    char *print = keys_fingerprint(ns->ssh, &type);
    enum ssh_known_hosts_e known = ssh_session_is_known_server(ns->ssh);
    const char *p = print ? print : "?";
    bool is_new = known == SSH_KNOWN_HOSTS_UNKNOWN || known == SSH_KNOWN_HOSTS_NOT_FOUND;
    if (is_new && print && ns->accept && strcmp(print, ns->accept) == 0)
        known = ssh_session_update_known_hosts(ns->ssh) == SSH_OK ? SSH_KNOWN_HOSTS_OK : known;
    if (known == SSH_KNOWN_HOSTS_OK) {
        node_ssh_told(ns, NODE_SSH_KEY_KNOWN, p);
    } else if (is_new) {
        node_ssh_fail(
            ns, SSH_FAULT_HOSTKEY_UNKNOWN,
            "its host key %s (%s) is not in %s: compare it with what the machine says (ssh-keygen -lf "
            "/etc/ssh/ssh_host_ed25519_key.pub there), then: stoker node accept %s %s",
            p, type, ns->to.known_hosts, ns->to.node, p);
    } else {
        char *name =
            ns->to.port == 22 ? xstrdup(ns->to.address) : xasprintf("[%s]:%u", ns->to.address, ns->to.port);
        node_ssh_fail(ns, SSH_FAULT_HOSTKEY_CHANGED,
                      "its host key has CHANGED to %s (%s): refused, it may be another machine. If the "
                      "machine was reinstalled: ssh-keygen -R '%s' -f %s, then: stoker node accept %s %s",
                      p, type, name, ns->to.known_hosts, ns->to.node, p);
        free(name);
    }
    free(print);
    return known == SSH_KNOWN_HOSTS_OK;
}

static bool step_kex(struct node_ssh *ns)
{
    int r = ssh_connect(ns->ssh);
    int flags = fcntl(ns->fd, F_GETFL);
    if (ssh_get_fd(ns->ssh) != -1 && flags >= 0) /* libssh clears it */
        fcntl(ns->fd, F_SETFL, flags | O_NONBLOCK);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        node_ssh_lost(ns);
        return true;
    }
    if (check_host_key(ns))
        ns->phase = LOGIN;
    return true;
}

static void refuse_login(struct node_ssh *ns)
{
    ssh_key first = NULL;
    for (size_t i = 0; i < ns->to.identities.n && !first; i++)
        first = keys_get(ns->keys, ns->to.identities.v[i], NULL);
    if (!first) {
        node_ssh_fail(ns, SSH_FAULT_LOGIN, "there is no key to log in with (%s): stoker node key makes one",
                      ns->refused.len ? ns->refused.s : "none is named");
        return;
    }
    char *line = keys_public_line(first), *cure;
    if (ns->is_shared)
        cure = keys_node_cure(ns->to.node, line);
    else
        cure = xasprintf("put this line into ~%s/.ssh/authorized_keys there: %s", ns->to.user, line);
    node_ssh_fail(ns, SSH_FAULT_LOGIN, "%s@%s does not accept %s: %s", ns->to.user, ns->to.address,
                  ns->refused.s, cure);
    free(cure);
    free(line);
}

static bool step_login(struct node_ssh *ns)
{
    while (!ns->key) {
        struct errtext err = {""};
        if (ns->key_at >= ns->to.identities.n || ns->key_at >= KEYS_MAX) {
            refuse_login(ns);
            return true;
        }
        const char *file = ns->to.identities.v[ns->key_at++];
        ns->key = keys_get(ns->keys, file, &err);
        str_appendf(&ns->refused, "%s%s", ns->refused.len ? ", " : "", ns->key ? file : err.s);
    }
    int r = ssh_userauth_publickey(ns->ssh, NULL, ns->key);
    if (r == SSH_AUTH_AGAIN)
        return false;
    if (r == SSH_AUTH_ERROR) {
        node_ssh_lost(ns);
        return true;
    }
    ns->key = NULL;
    if (r != SSH_AUTH_SUCCESS)
        return true; /* the next key */
    node_ssh_told(ns, NODE_SSH_LOGGED_IN, ns->to.identities.v[ns->key_at - 1]);
    ns->channel = ssh_channel_new(ns->ssh);
    bug_on(!ns->channel);
    node_ssh_attach(ns);
    ns->phase = OPEN;
    return true;
}

static bool step_exec(struct node_ssh *ns)
{
    int r = ssh_channel_request_exec(ns->channel, ns->command);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        node_ssh_lost(ns);
        return true;
    }
    ns->event = ssh_event_new();
    bug_on(!ns->event || ssh_event_add_session(ns->event, ns->ssh) != SSH_OK);
    if (ns->phase == EXEC)
        ns->phase = BOOT;
    node_ssh_told(ns, NODE_SSH_ASKED, "");
    node_ssh_progress(ns);
    return true;
}

static bool step_open(struct node_ssh *ns)
{
    int r = ssh_channel_open_session(ns->channel);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK)
        node_ssh_lost(ns);
    else
        ns->phase = EXEC;
    return true;
}

bool node_ssh_step_login(struct node_ssh *ns)
{
    switch (ns->phase) {
    case KEX: return step_kex(ns);
    case LOGIN: return step_login(ns);
    case OPEN: return step_open(ns);
    case EXEC: return step_exec(ns);
    case WAITING:
    case CALLING:
    case CONNECTED:
    case BOOT:
    case UP:
    case OVER: break;
    }
    return false;
}
