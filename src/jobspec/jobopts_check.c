/* jobopts_check.c - arguments of options that are taken without effect.
 *
 * Source of the words: sbatch(1); of the texts and of what is which kind of failure: Slurm 22.05 itself.
 */
#include "src/jobspec/jobopts_check.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "src/lang/lang.h"
#include "src/values/units.h"

static bool jobopts_check_is_number(const char *s)
{
    int64_t n;
    return int_parse(s, 0, UINT32_MAX, &n, NULL) == 0;
}

/* Is s (of n bytes) one of the words, which are divided by blanks? */
static bool jobopts_check_is_word(const char *s, size_t n, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");
        if (len == n && strncasecmp(s, words, n) == 0)
            return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

/* Words between commas; one with ':' or '=' behind it may have anything there, to the end. */
static bool are_words(const char *s, const char *words)
{
    for (;;) {
        size_t n = strcspn(s, ",:=");
        if (!jobopts_check_is_word(s, n, words))
            return false;
        if (s[n] != ',')
            return true;
        s += n + 1;
    }
}

static int check_number(const struct opt *opt, const char *arg, struct errtext *err)
{
    return jobopts_check_is_number(arg)
               ? 0
               : err_set(err, -EDOM, tr("Invalid numeric value \"%s\" for --%s."), arg, opt->name);
}

static int check_hint(__attribute__((unused)) const struct opt *opt, const char *arg, struct errtext *err)
{
    if (are_words(arg, "compute_bound memory_bound multithread nomultithread help"))
        return 0;
    return err_set(err, -EDOM, tr("unrecognized --hint argument \"%s\", see --hint=help"), arg);
}

/* "10", "10L", "S" */
static int check_user_env(const struct opt *opt, const char *arg, struct errtext *err)
{
    size_t n = arg ? strspn(arg, "0123456789") : 0;
    if (!arg || !arg[n] || (strchr("sSlL", arg[n]) && !arg[n + 1]))
        return 0;
    return err_set(err, -EINVAL, tr("Invalid --%s specification"), opt->name);
}

static int check_profile(const struct opt *opt, const char *arg, struct errtext *err)
{
    if (are_words(arg, "all none energy task lustre filesystem network"))
        return 0;
    return err_set(err, -EINVAL, tr("invalid --%s=%s option"), opt->name, arg);
}

/* p1[-p2][:p3], each a number, a step or a governor */
static int check_cpu_freq(const struct opt *opt, const char *arg, struct errtext *err)
{
    static const char words[] =
        "low medium high highm1 conservative ondemand performance powersave schedutil userspace";
    bool good = *arg != '\0';
    for (const char *s = arg; *s && good;) {
        size_t n = strcspn(s, "-:");
        good = n && (strspn(s, "0123456789") == n || jobopts_check_is_word(s, n, words));
        s += n + (s[n] != '\0');
    }
    if (good)
        return 0;
    return err_set(err, -EINVAL, tr("unrecognized --%s argument \"%s\"\nInvalid --%s argument"), opt->name,
                   arg, opt->name);
}

/* sockets[:cores[:threads]] */
static int check_node_info(__attribute__((unused)) const struct opt *opt, const char *arg,
                           struct errtext *err)
{
    static const char *const which[] = {"first", "second", "third"};
    const char *s = arg;
    for (size_t i = 0; i < 3; i++) {
        size_t n = strcspn(s, ":");
        if (!n || (strspn(s, "0123456789-") != n && !jobopts_check_is_word(s, n, "*")))
            return err_set(err, -EDOM, tr("Invalid numeric value \"%s\" for %s arg of -B."), arg, which[i]);
        if (!s[n])
            return 0;
        s += n + 1;
    }
    return err_set(err, -EDOM, tr("Invalid numeric value \"%s\" for third arg of -B."), arg);
}

static int check_acctg_freq(const struct opt *opt, const char *arg, struct errtext *err)
{
    if (jobopts_check_is_number(arg) ||
        (strchr(arg, '=') && are_words(arg, "task energy network filesystem")))
        return 0;
    return err_set(err, -EINVAL, tr("Invalid --%s specification: %s"), opt->name, arg);
}

static int check_duration(const struct opt *opt, const char *arg, struct errtext *err)
{
    uint32_t s;
    return duration_parse_slurm(arg, &s, NULL) == 0
               ? 0
               : err_set(err, -EINVAL, tr("Invalid --%s specification"), opt->name);
}

static int check_gpu_words(const struct opt *opt, const char *arg, struct errtext *err, const char *words)
{
    const char *s = arg;
    if (strncasecmp(s, "gpu:", 4) == 0)
        s += 4;
    if (isdigit((unsigned char)*s) || are_words(s, words))
        return 0;
    return err_set(err, -EINVAL, tr("Invalid --%s argument: gpu:%s"), opt->name, arg);
}
static int check_gpu_bind(const struct opt *opt, const char *arg, struct errtext *err)
{
    return check_gpu_words(opt, arg, err,
                           "v verbose closest map_gpu mask_gpu map mask none per_task single verbose");
}
static int check_gpu_freq(const struct opt *opt, const char *arg, struct errtext *err)
{
    return check_gpu_words(opt, arg, err, "low medium high highm1 memory verbose");
}

static int check_mem_bind(const struct opt *opt, const char *arg, struct errtext *err)
{
    if (are_words(arg, "q quiet v verbose sort nosort p prefer none no rank local map_mem mask_mem help"))
        return 0;
    return err_set(err, -EINVAL, tr("unrecognized --%s argument \"%s\""), opt->name, arg);
}

static const struct {
    const char *name;
    int (*check)(const struct opt *opt, const char *arg, struct errtext *err);
} checks[] = {
    {"acctg-freq", check_acctg_freq},   {"core-spec", check_number},
    {"cores-per-socket", check_number}, {"cpu-freq", check_cpu_freq},
    {"delay-boot", check_duration},     {"extra-node-info", check_node_info},
    {"get-user-env", check_user_env},   {"gpu-bind", check_gpu_bind},
    {"gpu-freq", check_gpu_freq},       {"hint", check_hint},
    {"mem-bind", check_mem_bind},       {"msg-timeout", check_number},
    {"ntasks-per-core", check_number},  {"ntasks-per-socket", check_number},
    {"profile", check_profile},         {"slurmd-debug", check_number},
    {"sockets-per-node", check_number}, {"thread-spec", check_number},
    {"threads", check_number},          {"threads-per-core", check_number},
    {"wait-all-nodes", check_number},
};

int jobopts_check(const struct opt *opt, const char *arg, struct errtext *err)
{
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (opt->name && strcmp(opt->name, checks[i].name) == 0)
            return checks[i].check(opt, arg, err);
    return 0;
}

/* over nodes[:over sockets[:over cores]][,Pack|NoPack] */
int jobopts_check_distribution(const char *arg, struct errtext *err)
{
    const char *s = arg;
    bool good = false;
    for (int level = 0; level < 3; level++) {
        size_t n = strcspn(s, ":,=");
        good = jobopts_check_is_word(s, n,
                                     level ? "* block cyclic fcyclic" : "* block cyclic plane arbitrary");
        if (good && s[n] == '=' && level == 0 && jobopts_check_is_word(s, n, "plane"))
            n += 1 + strspn(s + n + 1, "0123456789");
        s += n;
        if (!good || *s != ':')
            break;
        s++;
    }
    if (good && *s == ',')
        good = jobopts_check_is_word(s + 1, strlen(s + 1), "pack nopack");
    else
        good = good && !*s;
    return good ? 0 : err_set(err, -EINVAL, tr("Invalid --distribution specification"));
}
