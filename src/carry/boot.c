/* boot.c - the lines for a shell elsewhere, and their answers. */
#include "src/carry/boot.h"

#include <stdio.h>
#include <string.h>

#define NOISE_MAX (256u << 10) /* of start-up files */
#define LINE_MAX_ 4096u

bool boot_is_word(const char *s)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return s && *s && *s != '-' && *s != '.' && strlen(s) < 200 && strspn(s, good) == strlen(s);
}

/* One line and no single quote inside, so that every login shell (csh, fish) hands it to sh unchanged.
 * c is the directory of bundles. `head -c` takes no byte too many where it asks for them in one read;
 * nothing is sent ahead of the next request anyway. */
static void boot_append_install(struct str *out, const struct bundle *k)
{
    str_appendf(out, "b=\"$c/%s-$a\"; if [ -x \"$b/%s\" ]; then :; else ", k->id, k->files[0].name);
    str_append(out, "t=\"$c/.new-$$\"; mkdir -p \"$t\" || fail \"cannot make $t\"; for f in");
    for (size_t i = 0; i < k->n_files; i++)
        str_appendf(out, " %s=%zu", k->files[i].name, k->files[i].n);
    str_append(out, "; do n=${f%%=*}; echo \"" BOOT_MARK "SEND $n $a\"; "
                    "head -c ${f#*=} >\"$t/$n\" && chmod +x \"$t/$n\" && "
                    "[ \"$(($(wc -c <\"$t/$n\")))\" = ${f#*=} ] || "
                    "{ rm -rf \"$t\"; fail \"cannot write $t/$n\"; }; done; ");
    if (k->names.n) {
        str_append(out, "for n in");
        for (size_t i = 0; i < k->names.n; i++)
            str_appendf(out, " %s", k->names.v[i]);
        str_append(out, "; do ln -s stoker \"$t/$n\"; done; ");
    }
    /* Two at once on one file system: the second finds the first one's. */
    str_appendf(out,
                "mv -T \"$t\" \"$b\" 2>/dev/null || { [ -x \"$b/%s\" ] || fail \"cannot make $b\"; "
                "rm -rf \"$t\"; }; fi; ",
                k->files[0].name);
}

static const char begin[] = "exec /bin/sh -c '"
                            "fail() { echo \"" BOOT_MARK "FAIL $*\"; exit 1; }; "
                            "umask 077; a=$(uname -m); ";

/* As root the bundle and the directories are readable for all users, since jobs of users call `srun` there;
 * what must be closed the agent closes itself. */
void boot_command_node(struct str *out, const struct bundle *k, const char *cluster, const char *node)
{
    str_append(out, begin);
    str_append(
        out,
        "c=\"${XDG_CACHE_HOME:-$HOME/.cache}/stoker\"; s=\"${XDG_STATE_HOME:-$HOME/.local/state}/stoker\"; "
        "if [ \"$(id -u)\" = 0 ]; then umask 022; "
        "c=\"${XDG_CACHE_HOME:-/var/cache}/stoker\"; s=\"${XDG_STATE_HOME:-/var/lib}/stoker\"; fi; ");
    boot_append_install(out, k);
    str_appendf(out, "exec \"$b/%s\" --bridge --node %s --dir \"$s/agents/%s/%s\"'", k->files[0].name, node,
                cluster, node);
}

/* A program that another user has put there is not run. */
void boot_command_user(struct str *out, const struct bundle *k)
{
    str_append(out, begin);
    str_append(out, "[ -n \"$HOME\" ] || fail \"HOME is not set there\"; "
                    "c=\"${XDG_CACHE_HOME:-$HOME/.cache}/stoker\"; ");
    boot_append_install(out, k);
    str_appendf(out,
                "[ -O \"$b\" ] && [ -O \"$b/%s\" ] || fail \"$b belongs to another user\"; "
                "exec \"$b/%s\" --stdio'",
                k->files[0].name, k->files[0].name);
}

void boot_init(struct boot *b)
{
    *b = (struct boot){.line = STR_INIT};
}

void boot_fini(struct boot *b)
{
    str_fini(&b->line);
}

static enum boot_event boot_take_line(struct boot *b)
{
    const char *word = strstr(b->line.s, BOOT_MARK);
    if (!word)
        return BOOT_MORE;
    word += sizeof BOOT_MARK - 1;
    if (str_starts(word, "BRIDGE ")) {
        const char *rest = strchr(word + 7, ' ');
        snprintf(b->rest, sizeof b->rest, "%s", rest ? rest + 1 : "");
        return BOOT_UP;
    }
    if (sscanf(word, "SEND %63s %64s", b->name, b->arch) == 2)
        return BOOT_SEND;
    snprintf(b->text, sizeof b->text, "%s",
             str_starts(word, "FAIL ") ? word + 5 : "the answer is not understood");
    return BOOT_FAILED;
}

enum boot_event boot_feed(struct boot *b, const char *p, size_t n, size_t *ret_used)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '\n') {
            if (b->line.len < LINE_MAX_)
                str_append_char(&b->line, p[i] ? p[i] : '?');
            continue;
        }
        enum boot_event e = boot_take_line(b);
        b->skipped += b->line.len;
        str_clear(&b->line);
        if (e != BOOT_MORE || b->skipped > NOISE_MAX) {
            *ret_used = i + 1;
            if (e != BOOT_MORE)
                return e;
            snprintf(b->text, sizeof b->text, "its login shell prints without end");
            return BOOT_FAILED;
        }
    }
    *ret_used = n;
    return BOOT_MORE;
}
