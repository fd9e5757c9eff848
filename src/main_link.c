/* main_link.c - stoker-link: carries the controller's words to the nodes over SSH. Started by stokerd. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "backend/confine/confine.h"
#include "backend/sshlink/ssh_check.h"
#include "backend/sshlink/ssh_keys.h"
#include "backend/sshlink/ssh_listen.h"
#include "backend/sshlink/sshlink.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"

#define CTL_FD 3

static const char usage[] =
    "usage: stoker-link serve [KEYS]   (started by stokerd, which speaks on descriptor 3)\n"
    "       stoker-link listen SOCKET KEYS [USER]\n"
    "                                  (a service: serves the stokerd of USER with the key in KEYS)\n"
    "       stoker-link check OPTION=VALUE...\n"
    "       stoker-link key FILE\n"
    "       stoker-link --version\n";

static void keep_secrets(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* memory holds a private key */
    prctl(PR_SET_DUMPABLE, 0);
}

/* Servers speak before it is known who they are. */
static void link_give_up(enum confine_kind kind)
{
    int r = confine_system_calls(kind, "stoker-link");
    if (r != 0)
        log_warn("system calls are not restricted%s%s", r < 0 ? ": " : "", r < 0 ? strerror(-r) : "");
}

static int serve(const char *keys)
{
    int type = 0;
    socklen_t len = sizeof type;
    if (getsockopt(CTL_FD, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_SEQPACKET) {
        fputs(usage, stderr);
        return 2;
    }
    keep_secrets();
    struct errtext err = {""};
    char *dir = exe_path_dir();
    log_open("stoker-link", 2, LOG_LVL_INFO);
    link_give_up(CONFINE_NETWORK);
    int r = sshlink_run(CTL_FD, dir, keys, &err);
    if (r < 0)
        log_error("%s", err.s);
    free(dir);
    return r < 0;
}

/* Started by root it becomes the owner of its keys: the only one who needs them. */
static int listen_at(const char *socket, const char *keys, const char *peer)
{
    struct errtext err = {""};
    char *self = exe_path();
    log_open("stoker-link", 2, LOG_LVL_INFO);
    int r = privdrop_to_owner(keys, &err);
    keep_secrets();
    if (r == 0)
        link_give_up(CONFINE_SERVICE);
    r = r ? r : listen_run(self, socket, keys, peer, &err);
    if (r < 0)
        log_error("%s", err.s);
    free(self);
    return r < 0;
}

/* As the owner of its directory, who then owns it. */
static int make_key(const char *file)
{
    struct errtext err = {""};
    char *dir = xstrdup(file), *slash = strrchr(dir, '/');
    if (slash)
        *slash = '\0';
    int r = slash ? privdrop_to_owner(dir, &err) : 0;
    free(dir);
    if (r < 0 || keys_make(file, &err) < 0) {
        fprintf(stderr, "stoker-link: %s\n", err.s);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "serve") == 0)
        return serve(argv[2]);
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "listen") == 0)
        return listen_at(argv[2], argv[3], argv[4]);
    if (argc >= 2 && strcmp(argv[1], "check") == 0)
        return check_run(argc - 2, argv + 2);
    if (argc == 3 && strcmp(argv[1], "key") == 0)
        return make_key(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("stoker-link " STOKER_VERSION);
        return 0;
    }
    fputs(usage, argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
    return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
}
