/* doctor_nodes.c - doctor's checks of what lies between the controller and its nodes: the services
 * stoker-link and stoker-agent, the key, the host keys.
 *
 * Processes are found by their command lines. The check does not connect to a service's socket to see
 * whether it is there: stoker-link would take that for a controller and drop the one that it has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/setup/doctor_checks.h"
#include "src/cli/setup/nodecheck.h"
#include "src/conf/conf.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"

#define CMDLINE_MAX 8192

/* --- processes --- */

/* The program name, with that argument (NULL: any) and that parent (0: any)? */
static bool is_process(pid_t pid, const char *name, const char *arg, pid_t parent)
{
    char path[64], text[CMDLINE_MAX];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *slash = strrchr(text, '/');
    bool has = !arg;
    for (const char *p = text; p < text + n; p += strlen(p) + 1)
        has = has || strcmp(p, arg) == 0;
    if (!has || strcmp(slash ? slash + 1 : text, name) != 0)
        return false;
    int ppid = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = parent ? fopen(path, "re") : NULL;
    if (f && fgets(text, sizeof text, f) && (slash = strrchr(text, ')')))
        sscanf(slash, ") %*c %d", &ppid);
    if (f)
        fclose(f);
    return !parent || ppid == parent;
}

/* 0: there is none, or it is not for us to see. */
static pid_t find_process(const char *name, const char *arg, pid_t parent)
{
    DIR *dir = opendir("/proc");
    pid_t found = 0;
    for (const struct dirent *e; dir && !found && (e = readdir(dir));) {
        pid_t pid = (pid_t)atoi(e->d_name);
        if (pid > 0 && is_process(pid, name, arg, parent))
            found = pid;
    }
    if (dir)
        closedir(dir);
    return found;
}

static uid_t owner_of(const char *path, uid_t otherwise)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_uid : otherwise;
}

/* Caller frees. */
static char *user_text(uid_t uid)
{
    const struct passwd *pw = getpwuid(uid);
    return pw ? xstrdup(pw->pw_name) : xasprintf(tr("user %u"), (unsigned)uid);
}

/* It was started from the program that lies beside this one, and that has not been exchanged since. Only
 * its own user and root may know; to others it looks so. */
static bool is_of_this_release(pid_t pid, const char *name)
{
    char path[64], exe[PATH_MAX];
    struct stat runs, lies;
    char *ours = exe_path_sibling(name);
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    bool known = n > 0 && ours && stat(path, &runs) == 0 && stat(ours, &lies) == 0;
    free(ours);
    return !known || (runs.st_dev == lies.st_dev && runs.st_ino == lies.st_ino);
}

/* A service that a service manager keeps: whether it runs, under which account and release. */
static void check_service(struct doctor *d, const char *name, const char *program, const char *unit,
                          const char *socket, uid_t want)
{
    pid_t pid = find_process(program, socket, 0);
    if (!pid) {
        char *cure = xasprintf(tr("systemctl start %s; journalctl -u %s says why it ended"), unit, unit);
        doctor_add(d, name, CHECK_FAIL, cure, tr("no %s runs for %s"), program, socket);
        free(cure);
        return;
    }
    char proc[64], *is, *should = user_text(want);
    snprintf(proc, sizeof proc, "/proc/%d", (int)pid);
    uid_t uid = owner_of(proc, want);
    is = user_text(uid);
    if (uid != want)
        doctor_add(d, name, CHECK_FAIL, tr("run stoker init --shared: it writes the unit again"),
                   tr("process %d runs as %s, and must as %s"), (int)pid, is, should);
    else if (!is_of_this_release(pid, program))
        doctor_add(d, name, CHECK_WARN, tr("restart its service: no job is touched by that"),
                   tr("process %d of %s was started from another %s than the one installed here"), (int)pid,
                   is, program);
    else
        doctor_add(d, name, CHECK_OK, NULL, tr("process %d of %s serves %s"), (int)pid, is, socket);
    free(is);
    free(should);
}

/* Its launcher is root, the agent is not. */
static void check_agent(struct doctor *d, const char *socket)
{
    pid_t agent = find_process("stoker-agent", socket, 0);
    check_service(d, N_("agent"), agent ? "stoker-agent" : "stoker-launcher", "stoker-agent", socket, 0);
    if (agent)
        doctor_add(d, N_("agent account"), CHECK_WARN,
                   tr("stoker init --shared makes the account; then: systemctl restart stoker-agent"),
                   tr("process %d, the agent, has the rights of root: there is no account stoker-agent"),
                   (int)agent);
}

/* --- a cluster of one user --- */

static void check_own_link(struct doctor *d)
{
    const struct msg_welcome *w = d->client ? client_welcome(d->client) : NULL;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (!w || !str_eq(w->host, host) || !is_process((pid_t)w->pid, "stokerd", NULL, 0))
        return;
    pid_t pid = find_process("stoker-link", NULL, (pid_t)w->pid);
    char *cure = xasprintf(tr("%s: running jobs go on"), paths_restart_command(&d->paths));
    if (pid && is_of_this_release(pid, "stoker-link"))
        doctor_add(d, N_("link"), CHECK_OK, NULL, tr("process %d, started by the controller"), (int)pid);
    else if (pid)
        doctor_add(d, N_("link"), CHECK_WARN, cure,
                   tr("process %d was started from another stoker-link than the one installed here"),
                   (int)pid);
    else
        doctor_add(d, N_("link"), CHECK_FAIL, tr("stoker-link.log beside the controller's log says why"),
                   tr("the controller has no stoker-link, and no way to its nodes"));
    free(cure);
}

/* --- files --- */

static void check_key(struct doctor *d, const char *file, uid_t owner)
{
    struct stat st;
    char *cure = NULL, *who = user_text(owner);
    if (stat(file, &st) < 0) {
        doctor_add(d, N_("key"), CHECK_FAIL, tr("stoker node key makes one"), "%s: %s", file,
                   strerror(errno));
    } else if (st.st_uid != owner) {
        cure = xasprintf("chown %s %s", who, file);
        doctor_add(d, N_("key"), CHECK_FAIL, cure, tr("%s does not belong to %s, which logs in with it"),
                   file, who);
    } else if (st.st_mode & 077) {
        cure = xasprintf("chmod 600 %s", file);
        doctor_add(d, N_("key"), CHECK_FAIL, cure, tr("%s can be read by others: it is not used"), file);
    } else {
        doctor_add(d, N_("key"), CHECK_OK, NULL, tr("%s, closed to others"), file);
    }
    free(cure);
    free(who);
}

static void check_host_keys(struct doctor *d, const char *file)
{
    struct stat st;
    FILE *f = fopen(file, "re");
    char *line = NULL;
    size_t size = 0, n = 0;
    while (f && getline(&line, &size, f) > 0)
        n += *line != '#' && *line != '\n';
    free(line);
    if (f && fstat(fileno(f), &st) == 0 && st.st_mode & 022) {
        char *cure = xasprintf("chmod go-w %s", file);
        doctor_add(d, N_("host keys"), CHECK_FAIL, cure, tr("others may write in %s"), file);
        free(cure);
    } else if (n) {
        doctor_add(d, N_("host keys"), CHECK_OK, NULL, tr("%zu in %s"), n, file);
    } else {
        doctor_add(
            d, N_("host keys"), CHECK_FAIL,
            tr("stoker node check NODE shows its key; once compared: stoker node accept NODE SHA256:..."),
            tr("no machine's key is in %s: none is believed"), file);
    }
    if (f)
        fclose(f);
}

static bool is_ssh(const struct node_spec *s)
{
    return str_eq(s->transport, "ssh");
}

/* Each file once, though many nodes name it. */
static void check_files(struct doctor *d, const struct cluster_spec *all)
{
    struct key_place place;
    struct strv seen = {0};
    key_place_find(&place, &d->paths, all);
    char *known = xasprintf("%s/known_hosts", place.dir);
    uid_t owner = place.apart ? owner_of(place.dir, geteuid()) : geteuid();
    bool may_look = access(place.dir, R_OK | X_OK) == 0 || (!place.apart && errno == ENOENT);
    for (size_t i = 0; i < all->nodes.n && may_look; i++) {
        const struct node_spec *s = &all->nodes.v[i];
        struct strv keys = {0};
        if (is_ssh(s))
            keys = nodecheck_keys(&place, s);
        if (is_ssh(s) && !keys.n)
            strv_push_take(&keys, xasprintf("%s/id_ed25519", place.dir));
        for (size_t k = 0; k < keys.n; k++)
            if (!strv_has(&seen, keys.v[k])) {
                strv_push(&seen, keys.v[k]);
                check_key(d, keys.v[k], owner);
            }
        const char *hosts = s->known_hosts ? s->known_hosts : known;
        if (is_ssh(s) && !strv_has(&seen, hosts)) {
            strv_push(&seen, hosts);
            check_host_keys(d, hosts);
        }
        strv_fini(&keys);
    }
    strv_fini(&seen);
    free(known);
    key_place_fini(&place);
}

void doctor_check_nodes(struct doctor *d)
{
    struct cluster_spec all;
    bool any_ssh = false;
    if (access(d->paths.config, F_OK) != 0 || conf_load(d->paths.config, &all, NULL) < 0)
        return; /* one machine; or it has been said what is wrong */
    for (size_t i = 0; i < all.nodes.n; i++) {
        const struct node_spec *s = &all.nodes.v[i];
        any_ssh = any_ssh || is_ssh(s);
        if (!is_ssh(s) && s->agent_socket)
            check_agent(d, s->agent_socket);
    }
    if (any_ssh && all.link_socket)
        check_service(d, N_("link"), "stoker-link", "stoker-link", all.link_socket,
                      all.link_keys ? owner_of(all.link_keys, geteuid()) : geteuid());
    else if (any_ssh)
        check_own_link(d);
    if (any_ssh)
        check_files(d, &all);
    rec_fini(&cluster_spec_rec, &all);
}
