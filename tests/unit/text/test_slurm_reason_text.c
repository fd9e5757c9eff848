/* Each word that a Slurm can give as the reason of a waiting job has a meaning here. */
#include "src/answers/slurm_reason.h"
#include "src/text/slurm_reason_text.h"
#include "tests/lib/check.h"

/* Those of Slurm 22.05, by its library's strings. */
static const char *const words[] = {
    "AccountNotAllowed",
    "AccountingPolicy",
    "AssocGrpBB",
    "AssocGrpBBMinutes",
    "AssocGrpBBRunMinutes",
    "AssocGrpBilling",
    "AssocGrpBillingMinutes",
    "AssocGrpBillingRunMinutes",
    "AssocGrpCPUMinutesLimit",
    "AssocGrpCPURunMinutesLimit",
    "AssocGrpCpuLimit",
    "AssocGrpEnergy",
    "AssocGrpEnergyMinutes",
    "AssocGrpEnergyRunMinutes",
    "AssocGrpGRES",
    "AssocGrpGRESMinutes",
    "AssocGrpGRESRunMinutes",
    "AssocGrpJobsLimit",
    "AssocGrpLicense",
    "AssocGrpLicenseMinutes",
    "AssocGrpLicenseRunMinutes",
    "AssocGrpMemLimit",
    "AssocGrpMemMinutes",
    "AssocGrpMemRunMinutes",
    "AssocGrpNodeLimit",
    "AssocGrpNodeMinutes",
    "AssocGrpNodeRunMinutes",
    "AssocGrpSubmitJobsLimit",
    "AssocGrpUnknown",
    "AssocGrpUnknownMinutes",
    "AssocGrpUnknownRunMinutes",
    "AssocGrpWallLimit",
    "AssocMaxBBMinutesPerJob",
    "AssocMaxBBPerJob",
    "AssocMaxBBPerNode",
    "AssocMaxBillingMinutesPerJob",
    "AssocMaxBillingPerJob",
    "AssocMaxBillingPerNode",
    "AssocMaxCpuMinutesPerJobLimit",
    "AssocMaxCpuPerJobLimit",
    "AssocMaxCpuPerNode",
    "AssocMaxEnergyMinutesPerJob",
    "AssocMaxEnergyPerJob",
    "AssocMaxEnergyPerNode",
    "AssocMaxGRESMinutesPerJob",
    "AssocMaxGRESPerJob",
    "AssocMaxGRESPerNode",
    "AssocMaxJobsLimit",
    "AssocMaxLicenseMinutesPerJob",
    "AssocMaxLicensePerJob",
    "AssocMaxMemMinutesPerJob",
    "AssocMaxMemPerJob",
    "AssocMaxMemPerNode",
    "AssocMaxNodeMinutesPerJob",
    "AssocMaxNodePerJobLimit",
    "AssocMaxSubmitJobLimit",
    "AssocMaxUnknownMinutesPerJob",
    "AssocMaxUnknownPerJob",
    "AssocMaxUnknownPerNode",
    "AssocMaxWallDurationPerJobLimit",
    "AssociationJobLimit",
    "AssociationResourceLimit",
    "AssociationTimeLimit",
    "BadConstraints",
    "BeginTime",
    "BurstBufferOperation",
    "BurstBufferResources",
    "BurstBufferStageIn",
    "Cleaning",
    "DeadLine",
    "Dependency",
    "DependencyNeverSatisfied",
    "FedJobLock",
    "FrontEndDown",
    "InactiveLimit",
    "InvalidAccount",
    "InvalidQOS",
    "JobArrayTaskLimit",
    "JobHeldAdmin",
    "JobHeldUser",
    "JobHoldMaxRequeue",
    "JobLaunchFailure",
    "Licenses",
    "MaxBBPerAccount",
    "MaxBillingPerAccount",
    "MaxCpuPerAccount",
    "MaxEnergyPerAccount",
    "MaxGRESPerAccount",
    "MaxJobsPerAccount",
    "MaxLicensePerAccount",
    "MaxMemPerLimit",
    "MaxMemoryPerAccount",
    "MaxNodePerAccount",
    "MaxSubmitJobsPerAccount",
    "MaxUnknownPerAccount",
    "NodeDown",
    "NonZeroExitCode",
    "None",
    "OutOfMemory",
    "PartitionConfig",
    "PartitionDown",
    "PartitionInactive",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "PowerNotAvail",
    "PowerReserved",
    "Priority",
    "Prolog",
    "QOSGrpBB",
    "QOSGrpBBMinutes",
    "QOSGrpBBRunMinutes",
    "QOSGrpBilling",
    "QOSGrpBillingMinutes",
    "QOSGrpBillingRunMinutes",
    "QOSGrpCPUMinutesLimit",
    "QOSGrpCPURunMinutesLimit",
    "QOSGrpCpuLimit",
    "QOSGrpEnergy",
    "QOSGrpEnergyMinutes",
    "QOSGrpEnergyRunMinutes",
    "QOSGrpGRES",
    "QOSGrpGRESMinutes",
    "QOSGrpGRESRunMinutes",
    "QOSGrpJobsLimit",
    "QOSGrpLicense",
    "QOSGrpLicenseMinutes",
    "QOSGrpLicenseRunMinutes",
    "QOSGrpMemLimit",
    "QOSGrpMemoryMinutes",
    "QOSGrpMemoryRunMinutes",
    "QOSGrpNodeLimit",
    "QOSGrpNodeMinutes",
    "QOSGrpNodeRunMinutes",
    "QOSGrpSubmitJobsLimit",
    "QOSGrpUnknown",
    "QOSGrpUnknownMinutes",
    "QOSGrpUnknownRunMinutes",
    "QOSGrpWallLimit",
    "QOSJobLimit",
    "QOSMaxBBPerJob",
    "QOSMaxBBPerNode",
    "QOSMaxBBPerUser",
    "QOSMaxBillingMinutesPerJob",
    "QOSMaxBillingPerJob",
    "QOSMaxBillingPerNode",
    "QOSMaxBillingPerUser",
    "QOSMaxCpuMinutesPerJobLimit",
    "QOSMaxCpuPerJobLimit",
    "QOSMaxCpuPerNode",
    "QOSMaxCpuPerUserLimit",
    "QOSMaxEnergyMinutesPerJob",
    "QOSMaxEnergyPerJob",
    "QOSMaxEnergyPerNode",
    "QOSMaxEnergyPerUser",
    "QOSMaxGRESMinutesPerJob",
    "QOSMaxGRESPerJob",
    "QOSMaxGRESPerNode",
    "QOSMaxGRESPerUser",
    "QOSMaxJobsPerUserLimit",
    "QOSMaxLicenseMinutesPerJob",
    "QOSMaxLicensePerJob",
    "QOSMaxLicensePerUser",
    "QOSMaxMemoryMinutesPerJob",
    "QOSMaxMemoryPerJob",
    "QOSMaxMemoryPerNode",
    "QOSMaxMemoryPerUser",
    "QOSMaxNodeMinutesPerJob",
    "QOSMaxNodePerJobLimit",
    "QOSMaxNodePerUserLimit",
    "QOSMaxSubmitJobPerUserLimit",
    "QOSMaxUnknownMinutesPerJob",
    "QOSMaxUnknownPerJob",
    "QOSMaxUnknownPerNode",
    "QOSMaxUnknownPerUser",
    "QOSMaxWallDurationPerJobLimit",
    "QOSMinBB",
    "QOSMinBilling",
    "QOSMinCpuNotSatisfied",
    "QOSMinEnergy",
    "QOSMinGRES",
    "QOSMinLicense",
    "QOSMinMemory",
    "QOSMinNode",
    "QOSMinUnknown",
    "QOSNotAllowed",
    "QOSResourceLimit",
    "QOSTimeLimit",
    "QOSUsageThreshold",
    "RaisedSignal",
    "ReqNodeNotAvail",
    "Reservation",
    "ReservationDeleted",
    "Resources",
    "SchedDefer",
    "SystemFailure",
    "TimeLimit",
};

static void test_each_word_has_a_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(words); i++) {
        struct str out = STR_INIT;
        check_int(words[i], slurm_reason_append(&out, words[i]), true);
        check_int(words[i], out.len > 8, true);
        check_int(words[i], strpbrk(out.s, "%") != NULL, false);
        str_fini(&out);
    }
}

static void test_other_words_have_none(void **state)
{
    (void)state;
    static const char *const others[] = {"",       "QOS",   "QOSMax", "QOSMaxCpuPerUserLimitX",
                                         "MaxCpu", "Hello", NULL};
    for (size_t i = 0; i < N_OF(others); i++) {
        struct str out = STR_INIT;
        assert_false(slurm_reason_append(&out, others[i]));
        assert_int_equal(out.len, 0);
        str_fini(&out);
    }
}

static void test_limits_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        struct slurm_limit want;
    } limits[] = {
        {"AssocGrpCpuLimit",
         {SLURM_THING_CPUS, SLURM_OF_ASSOCIATION, SLURM_ALL_JOBS, SLURM_AT_ONCE, false}},
        {"AssocMaxJobsLimit",
         {SLURM_THING_JOBS, SLURM_OF_ASSOCIATION, SLURM_EACH_USER, SLURM_AT_ONCE, false}},
        {"AssocMaxMemPerNode",
         {SLURM_THING_MEMORY, SLURM_OF_ASSOCIATION, SLURM_EACH_NODE, SLURM_AT_ONCE, false}},
        {"QOSGrpCPURunMinutesLimit",
         {SLURM_THING_CPUS, SLURM_OF_QOS, SLURM_ALL_JOBS, SLURM_RUN_MINUTES, false}},
        {"QOSMaxGRESMinutesPerJob", {SLURM_THING_GRES, SLURM_OF_QOS, SLURM_EACH_JOB, SLURM_MINUTES, false}},
        {"QOSMaxSubmitJobPerUserLimit",
         {SLURM_THING_SUBMITTED, SLURM_OF_QOS, SLURM_EACH_USER, SLURM_AT_ONCE, false}},
        {"QOSMinCpuNotSatisfied", {SLURM_THING_CPUS, SLURM_OF_QOS, SLURM_EACH_JOB, SLURM_AT_ONCE, true}},
        {"MaxNodePerAccount", {SLURM_THING_NODES, SLURM_OF_QOS, SLURM_EACH_ACCOUNT, SLURM_AT_ONCE, false}},
        {"QOSMaxWallDurationPerJobLimit",
         {SLURM_THING_WALL, SLURM_OF_QOS, SLURM_EACH_JOB, SLURM_AT_ONCE, false}},
    };
    for (size_t i = 0; i < N_OF(limits); i++) {
        struct slurm_limit l;
        check_int(limits[i].word, slurm_limit_parse(limits[i].word, &l), true);
        check_int(limits[i].word, l.thing, limits[i].want.thing);
        check_int(limits[i].word, l.holder, limits[i].want.holder);
        check_int(limits[i].word, l.bound, limits[i].want.bound);
        check_int(limits[i].word, l.count, limits[i].want.count);
        check_int(limits[i].word, l.least, limits[i].want.least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_word_has_a_meaning),
        cmocka_unit_test(test_other_words_have_none),
        cmocka_unit_test(test_limits_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
