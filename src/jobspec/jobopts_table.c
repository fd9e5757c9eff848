/* jobopts_table.c - the options of a job: those of src/jobattr/job_attrs.h, and those that are accepted
 * without effect or refused. Where a variable has several names, later ones win. */
#include "src/jobspec/jobopts.h"

#include "src/lang/lang.h"

/* clang-format off */
#define X(ID, KIND, PLACE, MEMBER, OPTION, ...) {.id = J_##ID, JOB_ATTR_UNWRAP OPTION},
#define O(ID, OPTION)                           {.id = J_##ID, JOB_ATTR_UNWRAP OPTION},
#define ALIAS(ID, NAME)                         {.id = J_##ID, .name = NAME, .arg = OPT_REQUIRED},
#define HARMLESS(n)                             {.id = J_HARMLESS, .name = (n), .arg = OPT_REQUIRED}
#define HARMLESS_FLAG(n)                        {.id = J_HARMLESS, .name = (n)}
#define UNSUPPORTED(n)                          {.id = J_UNSUPPORTED, .name = (n), .arg = OPT_REQUIRED}

static const struct opt jobopts_rows[] = {
    JOB_ATTRS(X, O, ALIAS)
    HARMLESS("acctg-freq"), HARMLESS("cores-per-socket"), HARMLESS("cpu-freq"), HARMLESS("delay-boot"),
    {.id = J_HARMLESS, .name = "core-spec", .letter = 'S', .arg = OPT_REQUIRED},
    {.id = J_HARMLESS, .name = "extra-node-info", .letter = 'B', .arg = OPT_REQUIRED},
    {.id = J_HARMLESS, .name = "get-user-env", .arg = OPT_OPTIONAL},
    {.id = J_HARMLESS, .name = "no-kill", .letter = 'k', .arg = OPT_OPTIONAL},
    {.id = J_HARMLESS, .name = "oversubscribe", .letter = 's'},
    HARMLESS("gpu-bind"), HARMLESS("gpu-freq"), HARMLESS("gres-flags"), HARMLESS("hint"), HARMLESS_FLAG("ignore-pbs"),
    HARMLESS("mcs-label"), HARMLESS("mem-bind"), HARMLESS("network"), HARMLESS("ntasks-per-core"),
    HARMLESS("ntasks-per-socket"), HARMLESS("power"), HARMLESS("prefer"), HARMLESS("profile"),
    HARMLESS_FLAG("reboot"), HARMLESS_FLAG("share"), HARMLESS("sockets-per-node"),
    HARMLESS("thread-spec"), HARMLESS("threads-per-core"),
    HARMLESS("wait-all-nodes"),

    UNSUPPORTED("bb"), UNSUPPORTED("bbf"), UNSUPPORTED("container"), UNSUPPORTED("cluster-constraint"),
    UNSUPPORTED("export-file"), UNSUPPORTED("gpus-per-socket"), UNSUPPORTED("tres-per-task"),
    {.id = J_UNSUPPORTED, .name = "nodefile", .letter = 'F', .arg = OPT_REQUIRED},
};
/* clang-format on */

const struct opts jobopts_table = OPTS(jobopts_rows, jobopts_set);
