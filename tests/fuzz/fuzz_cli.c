/* The parsers of what users and other people's files bring to the commands: script headers, job options,
 * names of jobs, --multi-prog files, formats of listings, arrays, slurm.conf. No input may crash them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/acctfields.h"
#include "src/cli/columns.h"
#include "src/cli/multiprog.h"
#include "src/cli/slurmconf.h"
#include "src/jobspec/batchopts.h"
#include "src/jobspec/jobopts.h"
#include "src/jobspec/script.h"
#include "src/jobspec/targets.h"
#include "src/model/array.h"
#include "src/model/mailtype.h"
#include "tests/fuzz/driver.h"

const char *const fuzz_seeds[] = {
    "#!/bin/bash\n#SBATCH -N 2 --ntasks-per-node=2 -t 2\n#SBATCH --job-name=\"a b\" # text\necho\n#SBATCH "
    "-c4\n",
    "#!/bin/sh\n#SBATCH --mem=4G --gres=gpu:a100:2,gpu:1 --array=1-10:2%4\n#SBATCH --signal=B:USR2@90\n",
    "#!/bin/sh\n#SBATCH --dependency=afterok:12:13,afterany:4?singleton --export=ALL,A=1,B=\"x y\"\n",
    "4711_3.batch,12_[1-3,7].0,9",
    "0 echo a %t %o\n1-3,5 sh -c 'x y' \\\n more\n# no\n* rest \"a b\"\n",
    "%.18i %.9P %-8j%%%20R%all",
    "jobid:10,state:.12,name:0|,timelimit:>,arrayjobid: ",
    "1-10:2%4,20,30-33",
    "BEGIN,END,TIME_LIMIT_80",
    "NodeName=n[1-4] CPUs=4 Gres=\"gpu:2\" \\\n RealMemory=1 # x\nInclude /etc/x\nPartitionName=a "
    "Nodes=ALL\n",
    "jobid,state%20,user%-8,elap%3",
    NULL};

static void scripts(const char *s, size_t size)
{
    struct script script = {.text = {.p = xmemdup(s, size + 1), .n = size}, .name = xstrdup("fuzz")};
    struct script_header h = {0};
    struct errtext err;
    if (script_check(&script.text, &err) == 0 && script_parse_header(&script, &h, &err) == 0) {
        for (size_t i = 0; i < h.n; i++) {
            struct jobopts o;
            struct strv operands = {0};
            jobopts_init(&o);
            o.level = LEVEL_HEADER;
            enum opt_result r =
                opt_parse(&jobopts_table, &o, (int)h.v[i].argv.n, h.v[i].argv.v, 0, &operands, &err);
            if (r == OPT_OK && jobopts_finish(&o, &err) == 0)
                assert(o.req.nodes_min == NOT_GIVEN || o.req.nodes_max == NOT_GIVEN ||
                       o.req.nodes_min <= o.req.nodes_max);
            strv_fini(&operands);
            jobopts_fini(&o);
        }
        script_header_fini(&h);
    }
    script_fini(&script);
}

static void words(const char *s)
{
    struct target_list t = {0};
    struct array_spec a;
    uint32_t mails;
    struct str text = STR_INIT;
    if (targets_add_list(&t, s, NULL) == 0)
        for (size_t i = 0; i < t.list.n; i++) { /* what is printed names the same */
            struct target_list back = {0};
            str_clear(&text);
            target_append(&text, &t.list.v[i]);
            int r = targets_add(&back, text.s, NULL);
            assert(r == 0 && back.list.n == 1 && back.list.v[0].job == t.list.v[i].job &&
                   back.list.v[0].array_index == t.list.v[i].array_index);
            target_list_fini(&back);
        }
    target_list_fini(&t);
    if (array_parse(s, 10001, &a, NULL) == 0) {
        assert(a.count > 0 && a.min <= a.max && a.max < 10001);
        array_spec_fini(&a);
    }
    mail_types_parse(s, &mails);
    str_fini(&text);
}

static void formats(const char *s)
{
    struct format f = {.items = VEC_INIT};
    struct format g = {.items = VEC_INIT};
    struct acct_format a = {.items = VEC_INIT};
    struct strv unknown = {0};
    struct str out = STR_INIT;
    format_parse_letters(&f, &job_columns, s, &unknown);
    format_parse_names(&g, &job_columns, s, &unknown);
    format_header(&out, &f);
    format_header(&out, &g);
    if (acct_format_parse(&a, s, NULL) == 0)
        acct_format_header(&out, &a);
    acct_format_fini(&a);
    format_fini(&f);
    format_fini(&g);
    strv_fini(&unknown);
    str_fini(&out);
}

static void files(const char *s)
{
    struct slurmconf c = {0};
    struct step_payload p = {0};
    if (slurmconf_parse("fuzz", s, &c, NULL) == 0)
        for (size_t i = 0; i < c.lines.n; i++)
            assert(c.lines.v[i].pairs.n > 0);
    slurmconf_fini(&c);
    int r = multiprog_parse("fuzz", s, 8, &p, NULL);
    assert(r < 0 || p.ranks.n == 8);
    rec_fini(&step_payload_rec, &p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    scripts(s, strlen(s));
    words(s);
    formats(s);
    files(s);
    free(s);
    return 0;
}
