/* nodecheck.c - runs stoker-link, which is the only one who knows SSH, and lays out what it says. */
#include "src/cli/setup/nodecheck.h"

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

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/format.h"
#include "src/lang/lang.h"
#include "src/os/dirs.h"
#include "src/os/exe_path.h"
#include "src/os/given_env.h"

/* Starts stoker-link; *ret_out (may be NULL) reads its standard output. Returns its pid or a negative
 * errno. */
static pid_t nodecheck_start(const struct strv *args, FILE **ret_out)
{
    char *path = exe_path_program("stoker-link");
    int p[2] = {-1, -1};
    pid_t pid = -1;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    int r = ret_out ? (pipe(p) < 0 ? errno : 0) : 0;
    if (p[1] >= 0) {
        posix_spawn_file_actions_addclose(&files, p[0]);
        posix_spawn_file_actions_adddup2(&files, p[1], 1);
        posix_spawn_file_actions_addclose(&files, p[1]);
    }
    r = r ? r : posix_spawnp(&pid, path, &files, NULL, args->v, given_env());
    posix_spawn_file_actions_destroy(&files);
    free(path);
    if (p[1] >= 0)
        close(p[1]);
    if (r == 0 && ret_out)
        *ret_out = fdopen(p[0], "r");
    else if (p[0] >= 0)
        close(p[0]);
    return r ? -r : pid;
}

static int nodecheck_finish(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void nodecheck_add_key(struct strv *keys, const char *dir, const char *name)
{
    char *file = xasprintf("%s/%s", dir, name);
    if (access(file, R_OK) == 0)
        strv_push(keys, file);
    free(file);
}

void key_place_find(struct key_place *k, const struct paths *p, const struct cluster_spec *all)
{
    struct stat st;
    *k = (struct key_place){.apart = all->link_keys != NULL};
    k->dir = k->apart ? xstrdup(all->link_keys) : xasprintf("%s/ssh", p->state);
    const struct passwd *pw = k->apart && stat(p->state, &st) == 0 ? getpwuid(st.st_uid) : NULL;
    k->user = pw ? xstrdup(pw->pw_name) : NULL;
}

void key_place_fini(struct key_place *k)
{
    free(k->dir);
    free(k->user);
}

struct strv nodecheck_keys(const struct key_place *p, const struct node_spec *spec)
{
    struct strv keys = {0};
    if (spec->identity) {
        strv_push(&keys, spec->identity);
        return keys;
    }
    const struct passwd *pw = getpwuid(geteuid());
    char *own = xasprintf("%s/id_ed25519", p->dir), *users = xasprintf("%s/.ssh", pw ? pw->pw_dir : "/");
    if (access(own, p->apart ? F_OK : R_OK) == 0)
        strv_push(&keys, own);
    if (p->apart) {
        free(own);
        free(users);
        return keys;
    }
    nodecheck_add_key(&keys, users, "id_ed25519");
    nodecheck_add_key(&keys, users, "id_ecdsa");
    nodecheck_add_key(&keys, users, "id_rsa");
    free(own);
    free(users);
    return keys;
}

static int nodecheck_make_dir(const struct cli *cli, const char *dir)
{
    int r = dirs_make(dir, 0700, 0700);
    if (r < 0)
        cli_error(cli, tr("cannot make %s: %s"), dir, strerror(-r));
    return r < 0 ? 1 : 0;
}

/* A key of another account's is root's to use. */
static int may_use(const struct cli *cli, const struct key_place *p)
{
    struct stat st;
    if (!p->apart || geteuid() == 0 || (stat(p->dir, &st) == 0 && st.st_uid == geteuid()))
        return 0;
    cli_error(cli, tr("the key to the nodes is in %s, for an account of its own: do this as root"), p->dir);
    return EXIT_REFUSED;
}

int nodecheck_need_key(const struct cli *cli, const struct key_place *p, const struct node_spec *spec)
{
    struct strv keys = nodecheck_keys(p, spec), args = {0};
    char *file = xasprintf("%s/id_ed25519", p->dir);
    int rc = keys.n ? 0 : may_use(cli, p);
    rc = rc || keys.n ? rc : nodecheck_make_dir(cli, p->dir);
    if (rc == 0 && !keys.n) {
        strv_push(&args, "stoker-link");
        strv_push(&args, "key");
        strv_push(&args, file);
        pid_t pid = nodecheck_start(&args, NULL);
        rc = pid < 0 ? 1 : nodecheck_finish(pid);
        if (rc == 0)
            fprintf(stderr, tr("made the controller's key %s\n"), file);
    }
    strv_fini(&args);
    strv_fini(&keys);
    free(file);
    return rc;
}

/* --- the lines --- */

/* Some words of it are the machine's, which need not be ours yet. */
static void print_part(const char *what, const char *verdict, const char *mark, const char *part)
{
    struct str s = STR_INIT;
    text_append_foreign(&s, part, "");
    printf("%-9s %-5s %s%s\n", what, verdict, mark, s.s);
    str_fini(&s);
}

static void print_line(struct node_check *c, char *line)
{
    char *save = NULL, *what = strtok_r(line, "\t\n", &save), *verdict = strtok_r(NULL, "\t\n", &save);
    char *text = strtok_r(NULL, "\t\n", &save), *cure = strtok_r(NULL, "\t\n", &save);
    if (!what || !verdict || !text)
        return;
    bool failed = strcmp(verdict, "fail") == 0;
    c->key_known = c->key_known || (strcmp(what, "host key") == 0 && !failed);
    c->own_files = c->own_files || (strcmp(what, "files") == 0 && strcmp(verdict, "ok") != 0);
    const char *print = strcmp(what, "host key") == 0 && failed ? strstr(text, "SHA256:") : NULL;
    if (print && strstr(text, " is not in ")) {
        free(c->unknown_key);
        c->unknown_key = xstrndup(print, strcspn(print, " "));
    }
    if (!failed && c->only_failures)
        return;
    print_part(what, failed ? "FAIL" : verdict, "", text);
    char *for_nodes = cure && c->is_new ? strstr(cure, ", then: stoker node accept") : NULL;
    if (for_nodes)
        *for_nodes = '\0';
    if (cure)
        print_part("", "", "-> ", cure);
    fflush(stdout);
}

/* A file that is made for this where files are likely to be worked on: a directory of the same name says
 * little, and temporary ones are each machine's own. Where none can be made the directory must do. */
static char *make_marker(bool *ret_made)
{
    char *dir = get_current_dir_name();
    const char *home = getenv("HOME");
    *ret_made = false;
    if (home && *home == '/' && (!dir || str_starts(dir, "/tmp/") || str_starts(dir, "/var/tmp/"))) {
        xstrset(&dir, home);
    }
    if (!dir || strpbrk(dir, "\"'\\$`\n")) {
        free(dir);
        return NULL;
    }
    char *file = xasprintf("%s/.stoker-check-XXXXXX", dir);
    int fd = mkostemp(file, O_CLOEXEC);
    *ret_made = fd >= 0;
    if (fd >= 0)
        close(fd);
    free(fd >= 0 ? dir : file);
    return fd >= 0 ? file : dir;
}

static struct strv make_args(const struct key_place *p, const struct node_check *c, const char *marker)
{
    const struct node_spec *s = c->spec;
    const struct passwd *pw = getpwuid(geteuid());
    struct strv args = {0}, keys = nodecheck_keys(p, s);
    strv_push(&args, "stoker-link");
    strv_push(&args, "check");
    strv_push_take(&args, xasprintf("node=%s", s->name));
    strv_push_take(&args, xasprintf("address=%s", s->address ? s->address : s->name));
    strv_push_take(&args, xasprintf("port=%u", s->port ? s->port : 22));
    const char *user = s->ssh_user ? s->ssh_user : p->user ? p->user : pw ? pw->pw_name : "root";
    strv_push_take(&args, xasprintf("user=%s", user));
    strv_push_take(&args, s->known_hosts ? xasprintf("known_hosts=%s", s->known_hosts)
                                         : xasprintf("known_hosts=%s/known_hosts", p->dir));
    if (p->apart)
        strv_push_take(&args, xasprintf("keys=%s", p->dir));
    for (size_t i = 0; i < keys.n; i++)
        strv_push_take(&args, xasprintf("identity=%s", keys.v[i]));
    if (c->accept)
        strv_push_take(&args, xasprintf("accept=%s", c->accept));
    if (marker)
        strv_push_take(&args, xasprintf("shared=%s", marker));
    strv_fini(&keys);
    return args;
}

int nodecheck_run(const struct cli *cli, const struct key_place *p, struct node_check *c)
{
    int rc = may_use(cli, p);
    if (rc)
        return rc;
    bool made;
    char *marker = make_marker(&made);
    struct strv args = make_args(p, c, marker);
    FILE *f = NULL;
    char *line = NULL;
    size_t size = 0;
    pid_t pid = nodecheck_start(&args, &f);
    strv_fini(&args);
    if (pid < 0)
        cli_error(cli, tr("cannot start stoker-link: %s"), strerror(-(int)pid));
    while (f && getline(&line, &size, f) > 0)
        print_line(c, line);
    free(line);
    if (f)
        fclose(f);
    if (pid >= 0)
        rc = nodecheck_finish(pid) == 0 ? 0 : EXIT_AWAY;
    if (made)
        unlink(marker);
    free(marker);
    return pid < 0 ? 1 : rc;
}
