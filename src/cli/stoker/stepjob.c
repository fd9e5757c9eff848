/* stepjob.c - a job file as what is submitted. */
#include "src/cli/stoker/stepjob.h"

#include "src/conf/jobfile.h"
#include "src/lang/lang.h"
#include <errno.h>

/* What each step says for itself. */
static const uint8_t of_steps[] = {
    J_NODES,         J_NTASKS,        J_NTASKS_PER_NODE, J_NTASKS_PER_GPU, J_CPUS_PER_TASK, J_CPUS_PER_GPU,
    J_MINCPUS,       J_MEM,           J_MEM_PER_CPU,     J_MEM_PER_GPU,    J_GPUS,          J_GRES,
    J_GPUS_PER_NODE, J_GPUS_PER_TASK, J_DISTRIBUTION,    J_INPUT,          J_OUTPUT,        J_ERROR,
    J_OPEN_MODE,
};

static const char *stepjob_option_name(int id)
{
    for (size_t i = 0; i < jobopts_table.n; i++)
        if (jobopts_table.v[i].id == id)
            return jobopts_table.v[i].name;
    return "?";
}

static int check_options(const struct batch *b, struct errtext *err)
{
    for (size_t i = 0; i < sizeof of_steps; i++)
        if (b->job.given[of_steps[i]])
            return err_set(err, -EINVAL, tr("--%s: in a job file each step says that for itself"),
                           stepjob_option_name(of_steps[i]));
    if (req_detail(&b->job.req)->array_spec || b->wrap)
        return err_set(err, -EINVAL, tr("--%s does not go with a job file"), b->wrap ? "wrap" : "array");
    return 0;
}

bool stepjob_message(const struct cli *cli, struct batch *b, const char *path, int argc, char **argv,
                     struct msg_submit *ret, int *ret_exit)
{
    struct jobfile f;
    struct errtext err = {0};
    if (jobfile_load(path, b->job.now, &f, &err)) {
        cli_error_lines(cli, err.s);
        *ret_exit = 1;
        return false;
    }
    message_take_jobfile(&b->job, &f);
    b->job.level = LEVEL_COMMAND_LINE;
    enum opt_result r = opt_parse(cli->cmd->options, b, argc, argv, OPT_STOP_AT_OPERAND, NULL, &err);
    if (r == OPT_OK && (check_options(b, &err) || jobopts_finish(&b->job, &err) ||
                        message_of_jobfile(&b->job, &f, ret, &err)))
        r = OPT_BAD_VALUE;
    if (r == OPT_OK)
        ret->test_only = b->test_only;
    jobfile_fini(&f);
    return cli_parsed(cli, r, &err, ret_exit);
}
