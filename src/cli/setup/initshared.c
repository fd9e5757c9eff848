/* initshared.c - accounts, directories, key, configuration, policy, units; and what is left to do by hand.
 */
#include "src/cli/setup/initshared.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/setup/initunits.h"
#include "src/lang/lang.h"
#include "src/os/dirs.h"
#include "src/os/exe_path.h"
#include "src/os/file.h"
#include "src/os/given_env.h"

struct todo {
    struct str text;
    bool failed;
};

struct init_step {
    struct init_shared *s;
    struct todo todo;
};

static void told(const char *what, const char *path)
{
    int width = cell_width(tr(what));
    printf("%s%*s %s\n", tr(what), width < 8 ? 8 - width : 0, "", path);
}

static void initshared_failed(struct init_step *t, const char *what, int error)
{
    cli_error(t->s->cli, "%s: %s", what, strerror(error));
    t->todo.failed = true;
}

static char *below_root(const struct init_step *t, const char *path)
{
    return xasprintf("%s%s", t->s->root ? t->s->root : "", path);
}

static int initshared_run(const char *const argv[])
{
    union {
        const char *const *in;
        char **out;
    } args = {.in = argv};
    pid_t pid;
    int status = 0, r = posix_spawnp(&pid, argv[0], NULL, NULL, args.out, given_env());
    if (r != 0)
        return -r;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* --- accounts --- */

/* A password that nothing matches, rather than a locked one: sshd without PAM lets no locked account in. */
static void make_account(struct init_step *t, const char *name, const char *home, const char *shell)
{
    const char *const argv[] = {"useradd",    "--system", "--user-group", "--no-create-home",
                                "--home-dir", home,       "--shell",      shell,
                                "--password", "*",        name,           NULL};
    char *what = xasprintf(tr("account %s"), name);
    const struct passwd *pw = getpwnam(name);
    if (pw) {
        told(N_("kept"), what);
        if (strcmp(shell, "/bin/sh") == 0 && str_ends(pw->pw_shell, "nologin"))
            str_appendf(&t->todo.text, "usermod --shell /bin/sh %s\n", name);
    } else if (t->s->root || geteuid() != 0) {
        str_appendf(
            &t->todo.text,
            "useradd --system --user-group --no-create-home --home-dir %s --shell %s --password '*' %s\n",
            home, shell, name);
    } else {
        int r = initshared_run(argv);
        if (r == 0)
            told(N_("made"), what);
        else
            initshared_failed(t, "useradd", r < 0 ? -r : EINVAL);
    }
    free(what);
}

/* owner NULL: root. Where that cannot be now it is left to do. */
static void initshared_give(struct init_step *t, const char *path, const char *full, const char *owner)
{
    const struct passwd *pw = owner ? getpwnam(owner) : NULL;
    struct stat st;
    uid_t uid = pw ? pw->pw_uid : 0;
    gid_t gid = pw ? pw->pw_gid : 0;
    if ((!owner || pw) && lstat(full, &st) == 0 && st.st_uid == uid && st.st_gid == gid)
        return;
    bool can = geteuid() == 0 && (!owner || pw);
    if (!can)
        str_appendf(&t->todo.text, "chown %s: %s\n", owner ? owner : "root", path);
    else if (lchown(full, uid, gid) < 0)
        initshared_failed(t, full, errno);
}

/* --- directories and files --- */

static void initshared_make_dir(struct init_step *t, const char *path, mode_t mode, const char *owner)
{
    char *full = below_root(t, path);
    struct stat st;
    bool is_there = lstat(full, &st) == 0;
    dirs_above(full, 0755);
    if (is_there && !S_ISDIR(st.st_mode))
        initshared_failed(t, path, ENOTDIR);
    else if (!is_there && mkdir(full, mode) < 0)
        initshared_failed(t, full, errno);
    else if (chmod(full, mode) < 0)
        initshared_failed(t, full, errno);
    else {
        told(is_there ? N_("kept") : N_("made"), path);
        initshared_give(t, path, full, owner);
    }
    free(full);
}

/* Of one that is there the launcher has set the mode: the agent makes its files in it. */
static void make_agent_dir(struct init_step *t)
{
    char *full = below_root(t, AGENT_DIR);
    bool is_there = access(full, F_OK) == 0;
    free(full);
    if (is_there)
        told("kept", AGENT_DIR);
    else
        initshared_make_dir(t, AGENT_DIR, 0711, NULL);
}

/* Beside the old one, then in its place. */
static int initshared_write_file(const char *path, mode_t mode, const char *text)
{
    char *tmp = xasprintf("%s.new", path);
    int r = file_write(tmp, mode, text);
    if (r == 0 && rename(tmp, path) < 0) {
        r = -errno;
        unlink(tmp);
    }
    free(tmp);
    return -r;
}

/* ours: administrators do not edit it (units have drop-ins), so that another release's is replaced. */
static void make_file(struct init_step *t, const char *path, mode_t mode, const char *text, bool ours)
{
    char *full = below_root(t, path), *old = file_text(full);
    bool same = old && strcmp(old, text) == 0;
    dirs_above(full, 0755);
    if (old && (same || !ours)) {
        told(N_("kept"), path);
    } else {
        int r = initshared_write_file(full, mode, text);
        if (r)
            initshared_failed(t, full, r);
        else
            told(old ? N_("changed") : N_("made"), path);
    }
    initshared_give(t, path, full, NULL);
    free(old);
    free(full);
}

/* --- keys --- */

static void initshared_make_key(struct init_step *t, const char *owner)
{
    char *full = below_root(t, LINK_KEYS "/id_ed25519"), *pub = xasprintf("%s.pub", full);
    char *link = exe_path_program("stoker-link");
    const char *const argv[] = {link, "key", full, NULL};
    int r = access(full, F_OK) == 0 ? 0 : initshared_run(argv);
    if (r)
        initshared_failed(t, full, r < 0 ? -r : EIO);
    else
        told("key", LINK_KEYS "/id_ed25519");
    if (access(full, F_OK) == 0) {
        initshared_give(t, LINK_KEYS "/id_ed25519", full, owner);
        initshared_give(t, LINK_KEYS "/id_ed25519.pub", pub, owner);
    }
    free(link);
    free(pub);
    free(full);
}

/* A line, or a file of one. */
static char *initshared_find_key(const struct init_step *t)
{
    char *text = str_starts(t->s->key, "ssh-") || str_starts(t->s->key, "ecdsa-") ? xstrdup(t->s->key)
                                                                                  : file_text(t->s->key);
    char *line = text ? xstrdup(str_trim(text)) : NULL;
    free(text);
    if (line && !strpbrk(line, "\n\"") && strchr(line, ' '))
        return line;
    free(line);
    return NULL;
}

/* The base64 part of a public key's line, where its comment and options do not matter. Caller frees. */
static char *key_blob(const char *line)
{
    const char *blob = strchr(line, ' ') + 1;
    return xstrndup(blob, strcspn(blob, " "));
}

/* The lines of old (may be NULL) that are of other keys than that line. Returns how many were of this
 * key. */
static size_t append_other_keys(struct str *out, const char *old, const char *line)
{
    char *blob = key_blob(line);
    size_t same = 0;
    for (const char *p = old ? old : ""; *p;) {
        size_t n = strcspn(p, "\n");
        char *one = xstrndup(p, n);
        if (one[strspn(one, " \t")] != '#' && strstr(one, blob))
            same++;
        else
            str_appendf(out, "%s\n", one);
        free(one);
        p += n + (p[n] == '\n');
    }
    free(blob);
    return same;
}

/* line ends with a newline. */
static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line) - 1;
    for (const char *p = text; (p = strstr(p, line)); p += n)
        if (p == text || p[-1] == '\n')
            return true;
    return false;
}

static void allow_key(struct init_step *t, const char *bin)
{
    char *line = t->s->key ? initshared_find_key(t) : NULL;
    if (!line) {
        if (t->s->key)
            cli_error(t->s->cli, tr("%s is neither a public key nor a file with one"), t->s->key);
        t->todo.failed = t->todo.failed || t->s->key;
        str_append(&t->todo.text,
                   tr("# once more with --key='...': the controller's `stoker node key` says it\n"));
        return;
    }
    char *full = below_root(t, LOGIN_KEYS), *old = file_text(full);
    struct str want = STR_INIT, text = STR_INIT;
    init_key_line(&want, bin, line);
    size_t dropped = append_other_keys(&text, old, line);
    str_append(&text, want.s);
    if (old && dropped == 1 && has_line(old, want.s)) {
        told(N_("kept"), LOGIN_KEYS);
    } else {
        int r = initshared_write_file(full, 0644, text.s);
        if (r)
            initshared_failed(t, full, r);
        else
            told(old ? N_("changed") : N_("made"), LOGIN_KEYS);
        if (!r && dropped)
            cli_say(
                t->s->cli,
                trn("%s: %zu line of this key replaced: the key reaches the agent and nothing else now",
                    "%s: %zu lines of this key replaced: the key reaches the agent and nothing else now",
                    dropped),
                LOGIN_KEYS, dropped);
    }
    initshared_give(t, LOGIN_KEYS, full, NULL);
    str_fini(&want);
    str_fini(&text);
    free(old);
    free(full);
    free(line);
}

/* --- the two kinds of machine --- */

static bool may(const struct init_step *t)
{
    if (t->s->root || geteuid() == 0)
        return true;
    cli_error(t->s->cli,
              tr("accounts and services are root's to make: sudo %s ...; or --root=DIR to see what it "
                 "would write"),
              t->s->cli->name);
    return false;
}

static void make_unit(struct init_step *t, const char *name, struct str *text)
{
    char *path = xasprintf("/etc/systemd/system/%s", name);
    make_file(t, path, 0644, text->s, true);
    str_clear(text);
    free(path);
}

/* Services must not run what an ordinary user can replace. */
static void look_at_programs(const struct init_step *t, const char *bin)
{
    struct stat st;
    if (stat(bin, &st) == 0 && (st.st_uid != 0 || (st.st_mode & 022) || str_starts(bin, "/home/")))
        cli_say(
            t->s->cli,
            tr("the services run the programs in %s: install them where only root writes (make install)"),
            bin);
}

static int initshared_finish(struct init_step *t, const char *units)
{
    if (t->todo.text.len || units)
        printf(tr("\nLeft to do, as root:\n%s"), t->todo.text.s);
    if (units)
        printf("systemctl daemon-reload && systemctl enable --now %s\n", units);
    str_fini(&t->todo.text);
    return t->todo.failed ? 1 : 0;
}

int init_shared_controller(struct init_shared *s)
{
    struct init_step t = {.s = s, .todo = {.text = STR_INIT}};
    struct str text = STR_INIT;
    const char *user = s->user ? s->user : "stoker", *link = s->link_user ? s->link_user : "stoker-link";
    char *bin = exe_path_dir();
    if (!may(&t)) {
        free(bin);
        return 1;
    }
    umask(022);
    look_at_programs(&t, bin);
    make_account(&t, user, "/var/lib/stoker", "/usr/sbin/nologin");
    make_account(&t, link, LINK_KEYS, "/usr/sbin/nologin");
    make_account(&t, AGENT_ACCOUNT, AGENT_DIR, "/usr/sbin/nologin");
    initshared_make_dir(&t, "/etc/stoker", 0755, NULL);
    initshared_make_dir(&t, "/var/lib/stoker", 0700, user);
    initshared_make_dir(&t, "/var/log/stoker", 0750, user);
    initshared_make_dir(&t, LINK_KEYS, 0755, link);
    make_agent_dir(&t);
    initshared_make_key(&t, link);
    make_file(&t, "/etc/stoker/stoker.cfg", 0644, s->config, false);
    make_file(&t, POLICY_FILE, 0644, init_policy, false);
    init_unit_controller(&text, bin, user);
    make_unit(&t, "stokerd.service", &text);
    init_unit_link(&text, bin, user, link);
    make_unit(&t, "stoker-link.service", &text);
    init_unit_agent(&text, bin, user, s->node, false);
    make_unit(&t, "stoker-agent.service", &text);
    int rc = initshared_finish(&t, "stoker-agent stoker-link stokerd");
    char *pub_path = below_root(&t, LINK_KEYS "/id_ed25519.pub"), *pub = file_text(pub_path);
    printf(tr("\nA node over SSH, on that machine as root, with the same programs installed there:\n"
              "stoker init --node=NAME --key='%s'\n"
              "and then here: stoker node add HOST --name=NAME\n"),
           pub ? str_trim(pub) : "...");
    free(pub);
    free(pub_path);
    str_fini(&text);
    free(bin);
    return rc;
}

int init_shared_node(struct init_shared *s)
{
    struct init_step t = {.s = s, .todo = {.text = STR_INIT}};
    struct str text = STR_INIT;
    const char *user = s->user ? s->user : "stoker";
    char *bin = exe_path_dir(), *unit = below_root(&t, "/etc/systemd/system/stokerd.service");
    bool controller = access(unit, F_OK) == 0;
    free(unit);
    if (controller)
        cli_error(
            s->cli,
            tr("this is the controller's machine, whose node is local: stoker init --shared has done all"));
    if (controller || !may(&t)) {
        free(bin);
        return 1;
    }
    umask(022);
    look_at_programs(&t, bin);
    make_account(&t, user, LOGIN_HOME, "/bin/sh");
    make_account(&t, AGENT_ACCOUNT, AGENT_DIR, "/usr/sbin/nologin");
    initshared_make_dir(&t, "/etc/stoker", 0755, NULL);
    make_agent_dir(&t);
    initshared_make_dir(&t, LOGIN_HOME, 0755, NULL);
    initshared_make_dir(&t, LOGIN_HOME "/.ssh", 0755, NULL);
    allow_key(&t, bin);
    make_file(&t, POLICY_FILE, 0644, init_policy, false);
    init_unit_agent(&text, bin, user, s->node, s->login);
    make_unit(&t, "stoker-agent.service", &text);
    int rc = initshared_finish(&t, "stoker-agent");
    str_fini(&text);
    free(bin);
    return rc;
}
