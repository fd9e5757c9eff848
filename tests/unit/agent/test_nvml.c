/* test_nvml.c - the GPUs of a node: what a sample is made of, NVML by way of a library of the tests' own,
 * nvidia-smi's text, and the numbers that jobs know GPUs by. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/node/gpu_numbers.h"
#include "backend/node/gpu_sampler.h"
#include "backend/node/node_probe.h"
#include "backend/node/nvml.h"
#include "src/base/xalloc.h"

#define FOUR                                                                                              \
    "card 0:5e:0.0 GPU-c 2 0 10 81920 NVIDIA A100-SXM4-80GB\n"                                          \
    "card 0:3b:0.0 GPU-a 0 97 40000 81920 NVIDIA A100-SXM4-80GB\n"                                      \
    "card 0:3c:0.0 GPU-b 1 5 10 81920 NVIDIA A100-SXM4-80GB\n"                                          \
    "card 0:af:0.0 GPU-d 3 0 10 81920 NVIDIA A100-SXM4-80GB\n"

static char conf[128], library[4096];

static int set_up(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(conf, sizeof conf, "%.90s/fakenvml.%d", tmp ? tmp : "/tmp", (int)getpid());
    setenv("FAKE_NVML", conf, 1);
    char self[4000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    for (int i = 0; i < 3; i++) /* .../tests/unit/agent/test_nvml */
        *strrchr(self, '/') = '\0';
    snprintf(library, sizeof library, "%s/lib/libfakenvml.so", self);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(conf);
    return 0;
}

static void put(const char *text)
{
    int fd = open(conf, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static struct gpu_sample look; /* large */

/* --- looks as text --- */

static void test_bus(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"00000000:3B:00.0", "0000:3b:00.0"},
        {"0000:3b:00.0", "0000:3b:00.0"},
        {"10000:3b:1f.7", "10000:3b:1f.7"},
        {"3b:00.0", NULL},
        {"0000:3b:00", NULL},
        {"0000:3b:00.0x", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char buf[32] = "";
        check_int(cases[i].text, gpu_sample_bus(cases[i].text, buf), cases[i].want != NULL);
        if (cases[i].want)
            check_str(cases[i].text, buf, cases[i].want);
    }
}

static void test_look_comes_through(void **state)
{
    (void)state;
    struct gpu_sample *got = xcalloc(1, sizeof *got);
    memset(&look, 0, sizeof look);
    snprintf(look.way, sizeof look.way, "NVML");
    look.unnamed = 2;
    look.n_gpus = 2;
    look.gpus[0] = (struct gpu_reading){.bus = "0000:3b:00.0",
                                        .uuid = "GPU-a",
                                        .name = "NVIDIA A 100",
                                        .minor = 4,
                                        .busy_pct = 97,
                                        .used_mib = 5,
                                        .mib = 9};
    look.gpus[1] = (struct gpu_reading){.bus = "0001:3b:00.0", .minor = UINT32_MAX, .lost = true};
    look.n_procs = 1;
    look.procs[0] = (struct gpu_proc){.gpu = 1, .pid = 4711};
    struct str text = STR_INIT;
    gpu_sample_format(&look, &text);
    assert_int_equal(gpu_sample_parse(text.s, got), 0);
    assert_memory_equal(got, &look, sizeof look);
    str_fini(&text);
    free(got);
}

static void test_bad_looks(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "way NVML\n",
        "card 0000:3b:00.0 0 0 0 0 0 GPU-a name\n",
        "card 3b 0 0 0 0 0 GPU-a name\n.\n",
        "card 0000:3b:00.0 0 0 0 0\n.\n",
        "proc 0 4711\n.\n",
        "card 0000:3b:00.0 0 0 0 0 0 GPU-a name\nproc 0 -1\n.\n",
        "unnamed\n.\n",
        "what\n.\n",
    };
    for (size_t i = 0; i < N_OF(bad); i++)
        check_int(bad[i], gpu_sample_parse(bad[i], &look), -EBADMSG);
    struct str many = STR_INIT;
    for (int i = 0; i <= GPU_DEVICES_MAX; i++)
        str_appendf(&many, "card 0000:%02x:00.0 0 0 0 0 0 u n\n", i);
    str_append(&many, ".\n");
    check_int("too many", gpu_sample_parse(many.s, &look), -EBADMSG);
    str_fini(&many);
}

/* --- NVML --- */

static struct nvml *open_fake(void)
{
    struct errtext err = {.s = ""};
    int e = 0;
    struct nvml *v = nvml_open(library, &e, &err);
    if (!v)
        print_message("%s\n", err.s);
    assert_non_null(v);
    return v;
}

static void test_cards_in_pci_order(void **state)
{
    (void)state;
    struct errtext err;
    put(FOUR "compute 1 100\ncompute 0 200\ngraphics 0 200\ncompute 3 300\n");
    struct nvml *v = open_fake();
    assert_int_equal(nvml_look(v, &look, &err), 0);
    assert_string_equal(look.way, "NVML");
    assert_int_equal(look.n_gpus, 4);
    static const char *const uuids[] = {"GPU-a", "GPU-b", "GPU-c", "GPU-d"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(look.gpus[i].uuid, uuids[i]);
        assert_int_equal(look.gpus[i].minor, i);
        assert_false(look.gpus[i].lost);
    }
    assert_string_equal(look.gpus[0].bus, "0000:3b:00.0");
    assert_string_equal(look.gpus[0].name, "NVIDIA A100-SXM4-80GB");
    assert_int_equal(look.gpus[0].busy_pct, 97);
    assert_int_equal(look.gpus[0].used_mib, 40000);
    assert_int_equal(look.gpus[0].mib, 81920);
    /* A desktop both draws and computes: it is not counted. The numbers go with the GPUs. */
    assert_int_equal(look.n_procs, 2);
    assert_int_equal(look.procs[0].gpu, 0);
    assert_int_equal(look.procs[0].pid, 100);
    assert_int_equal(look.procs[1].gpu, 3);
    assert_int_equal(look.procs[1].pid, 300);
    nvml_close(v);
}

static void test_lost_cards_keep_their_names(void **state)
{
    (void)state;
    struct errtext err;
    put(FOUR "lost 3\n");
    struct nvml *v = open_fake();
    assert_int_equal(nvml_look(v, &look, &err), 0);
    assert_int_equal(look.n_gpus, 3);
    assert_int_equal(look.unnamed, 1); /* never seen alive */
    put(FOUR);
    assert_int_equal(nvml_look(v, &look, &err), 0);
    assert_int_equal(look.n_gpus, 4);
    put(FOUR "lost 1\nreset 3\n");
    assert_int_equal(nvml_look(v, &look, &err), 0);
    assert_int_equal(look.n_gpus, 4);
    assert_int_equal(look.unnamed, 0);
    assert_true(look.gpus[0].lost);
    assert_string_equal(look.gpus[0].bus, "0000:3b:00.0");
    assert_string_equal(look.gpus[0].uuid, "GPU-a");
    assert_false(look.gpus[1].lost);
    assert_true(look.gpus[3].lost);
    nvml_close(v);
}

static void test_library_that_fails(void **state)
{
    (void)state;
    struct errtext err = {.s = ""};
    int e = 0;
    assert_null(nvml_open("/nonexistent/libnvidia-ml.so.1", &e, &err));
    assert_int_equal(e, -ENOENT);
    assert_null(nvml_open("libc.so.6", &e, &err));
    assert_int_equal(e, -ENOENT);
    assert_non_null(strstr(err.s, "nvmlInit_v2"));
    put("fail 18\n");
    assert_null(nvml_open(library, &e, &err));
    assert_int_equal(e, -EIO);
    assert_string_equal(err.s, "NVML: Driver/library version mismatch");
    put(FOUR);
    struct nvml *v = open_fake();
    put("fail 1\n");
    assert_int_equal(nvml_look(v, &look, &err), -EIO);
    nvml_close(v);
}

/* --- nvidia-smi --- */

static void test_smi(void **state)
{
    (void)state;
    gpu_sampler_parse_smi(
        "00000000:5E:00.0, GPU-c, 3, 10, 81920, NVIDIA A100-SXM4-80GB\n"
        "00000000:3B:00.0, GPU-a, 97, 40000, 81920, NVIDIA A100, of a kind\n"
        "00000000:3C:00.0, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]\n"
        "00000000:AF:00.0, GPU-d, [N/A], 10, 81920, NVIDIA GeForce\n"
        "No devices were found\n\n",
        "00000000:3B:00.0, 100\n00000000:FF:00.0, 7\nnothing\n00000000:AF:00.0, 300\n", &look);
    assert_string_equal(look.way, "nvidia-smi");
    assert_int_equal(look.n_gpus, 4);
    assert_string_equal(look.gpus[0].uuid, "GPU-a");
    assert_string_equal(look.gpus[0].name, "NVIDIA A100, of a kind");
    assert_int_equal(look.gpus[0].busy_pct, 97);
    assert_int_equal(look.gpus[0].used_mib, 40000);
    assert_true(look.gpus[1].lost);
    assert_false(look.gpus[3].lost);
    assert_int_equal(look.gpus[3].busy_pct, 0);
    assert_int_equal(look.n_procs, 2);
    assert_int_equal(look.procs[1].gpu, 3);
    assert_int_equal(look.procs[1].pid, 300);
}

static void test_types(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"NVIDIA A100-SXM4-80GB", "a100"},
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"Tesla V100-SXM2-32GB", "v100"},
        {"NVIDIA GeForce RTX 4090", "4090"},
        {"NVIDIA RTX A6000", "a6000"},
        {"NVIDIA TITAN Xp", ""},
        {"", ""},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char buf[16];
        probe_gpu_type(cases[i].name, buf, sizeof buf);
        check_str(cases[i].name, buf, cases[i].want);
    }
}

/* --- numbers --- */

static int32_t stranger; /* and the process with the next number */

static bool is_stranger(void *ctx, uint32_t gpu, int32_t pid, char *text, size_t size)
{
    (void)ctx;
    (void)gpu;
    snprintf(text, size, "process %d", pid);
    return stranger && (pid == stranger || pid == stranger + 1);
}

static struct gpu_numbers gpus;

/* Takes a sample of the fake library that says `text`. */
static bool take(const char *text)
{
    struct errtext err;
    put(text);
    struct nvml *v = open_fake();
    assert_int_equal(nvml_look(v, &look, &err), 0);
    nvml_close(v);
    return gpu_numbers_take(&gpus, &look, is_stranger, NULL);
}

static void out_is(const char *want_out, const char *want_lost, const char *want_notes)
{
    struct cpuset out, lost;
    struct strv notes = {0};
    gpu_numbers_out(&gpus, 4, &out, &lost, &notes);
    char *o = cpuset_format(&out), *l = cpuset_format(&lost), *n = strv_join(&notes, "|");
    assert_string_equal(o, want_out);
    assert_string_equal(l, want_lost);
    assert_string_equal(n, want_notes);
    free(o);
    free(l);
    free(n);
    strv_fini(&notes);
}

static void names_are(const char *want)
{
    struct strv v = {0};
    gpu_numbers_names(&gpus, false, &v);
    char *text = strv_join(&v, ",");
    assert_string_equal(text, want);
    free(text);
    strv_fini(&v);
}

#define THREE_OF_FOUR                                          \
    "card 0:5e:0.0 GPU-c 2 0 10 81920 A100\n" \
    "card 0:3c:0.0 GPU-b 1 5 10 81920 A100\n" \
    "card 0:af:0.0 GPU-d 3 0 10 81920 A100\n"

static void test_numbers_stay(void **state)
{
    (void)state;
    memset(&gpus, 0, sizeof gpus);
    stranger = 0;
    assert_true(take(FOUR));
    assert_false(take(FOUR));
    out_is("", "", "");
    names_are(""); /* numbers do */
    /* Gone from the bus: the others are what they were, under names that do not depend on who is there. */
    assert_false(take(THREE_OF_FOUR));
    out_is("0", "0", "GPU 0: lost (0000:3b:00.0)");
    names_are("GPU-a,GPU-b,GPU-c,GPU-d");
    /* The agent starts again meanwhile, on the same boot. */
    struct str saved = STR_INIT;
    gpu_numbers_save(&gpus, "boot-1", &saved);
    assert_true(gpu_numbers_load(&gpus, "boot-1", saved.s));
    assert_int_equal(gpus.n, 4);
    assert_false(take(THREE_OF_FOUR));
    out_is("0", "0", "GPU 0: lost (0000:3b:00.0)");
    assert_false(take(FOUR));
    out_is("", "", "");
    names_are("");
    /* After a boot they are counted again from zero. */
    assert_false(gpu_numbers_load(&gpus, "boot-2", saved.s));
    assert_int_equal(gpus.n, 0);
    assert_false(gpu_numbers_load(&gpus, "boot-1", "boot-1\nrubbish\n.\n"));
    assert_true(take(THREE_OF_FOUR));
    out_is("3", "3", "GPU 3: declared, and not there");
    str_fini(&saved);
}

static void test_a_driver_that_fails(void **state)
{
    (void)state;
    memset(&gpus, 0, sizeof gpus);
    out_is("", "", ""); /* nothing known: nothing said */
    take(FOUR);
    memset(&look, 0, sizeof look);
    snprintf(look.trouble, sizeof look.trouble, "NVML: Driver/library version mismatch");
    assert_false(gpu_numbers_take(&gpus, &look, is_stranger, NULL));
    struct cpuset out, lost;
    struct strv notes = {0};
    gpu_numbers_out(&gpus, 4, &out, &lost, &notes);
    assert_int_equal(cpuset_count(&lost), 4);
    assert_string_equal(notes.v[3], "GPU 3: its driver fails: NVML: Driver/library version mismatch");
    strv_fini(&notes);
    take(FOUR);
    out_is("", "", "");
}

static void test_strangers(void **state)
{
    (void)state;
    memset(&gpus, 0, sizeof gpus);
    stranger = 500;
    take(FOUR "compute 0 100\ncompute 1 500\n");
    out_is("0", "", "GPU 0: used by process 500");
    assert_int_equal(gpus.v[0].strangers, 1);
    assert_int_equal(gpus.v[2].strangers, 0); /* one of ours */
    /* Another one beside it: the same is named as long as it is there. */
    take(FOUR "compute 1 501\ncompute 1 500\n");
    out_is("0", "", "GPU 0: used by process 500");
    assert_int_equal(gpus.v[0].strangers, 2);
    take(FOUR "compute 1 501\n");
    out_is("0", "", "GPU 0: used by process 501");
    /* It is believed to be gone at the second look without it. */
    take(FOUR);
    out_is("0", "", "GPU 0: used by process 501");
    assert_int_equal(gpus.v[0].strangers, 0);
    take(FOUR);
    out_is("", "", "");
    take(FOUR "compute 1 500\n");
    take(FOUR);
    take(FOUR "compute 1 500\n");
    take(FOUR);
    out_is("0", "", "GPU 0: used by process 500");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_look_comes_through),
        cmocka_unit_test(test_bad_looks),
        cmocka_unit_test(test_cards_in_pci_order),
        cmocka_unit_test(test_lost_cards_keep_their_names),
        cmocka_unit_test(test_library_that_fails),
        cmocka_unit_test(test_smi),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_numbers_stay),
        cmocka_unit_test(test_a_driver_that_fails),
        cmocka_unit_test(test_strangers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
