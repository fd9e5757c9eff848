#include "backend/demo/demo_output.h"

#include <math.h>

#include "src/values/units.h"

#define BEGIN_MS  300  /* the first words */
#define LOADED_MS 9000 /* then it has its data */
#define EPOCHS    20u
#define UPDATES   48u /* of the bar, in an epoch */
#define BAR       10u
#define FILE_MS   1700
#define STEP_MS   2600
#define ROWS      9u /* of a table */
#define PLAIN_MS  5000

/* The pieces of an epoch: its updates, then the line of its end. */
#define EPOCH_PIECES (UPDATES + 1)

static int64_t demo_output_epoch_ms(const struct demo_task *t)
{
    int64_t ms = (t->full_ms - LOADED_MS - 500) / EPOCHS;
    return ms > UPDATES ? ms : UPDATES;
}

/* --- training --- */

static int64_t demo_train_at(const struct demo_task *t, uint32_t piece)
{
    if (piece < 2)
        return piece ? LOADED_MS : BEGIN_MS;
    uint32_t k = piece - 2, epoch = k / EPOCH_PIECES, update = k % EPOCH_PIECES + 1;
    if (epoch >= EPOCHS)
        return INT64_MAX;
    int64_t ms = demo_output_epoch_ms(t);
    return LOADED_MS + (int64_t)epoch * ms + ms * (update > UPDATES ? UPDATES : update) / UPDATES;
}

static double demo_train_loss(const struct demo_task *t, double epoch)
{
    double best = 0.18 + demo_dice(t->seed, 11, 100) / 1000.0;
    double noise = demo_dice(t->seed, 100 + (uint64_t)(epoch * 8), 100) / 5000.0;
    return best + 1.6 * exp(-epoch / 5.5) + noise;
}

static void demo_append_time(struct str *out, int64_t s)
{
    str_appendf(out, "%02d:%02d", (int)(s / 60), (int)(s % 60));
}

static void demo_train_bar(const struct demo_task *t, uint32_t epoch, uint32_t update, struct str *out)
{
    uint32_t batches = 300 + 10 * demo_dice(t->seed, 12, 50), done = batches * update / UPDATES;
    int64_t ms = demo_output_epoch_ms(t), passed_s = ms * update / UPDATES / MS_PER_S;
    str_appendf(out, "\repoch %2u/%u: %3u%%|", epoch + 1, EPOCHS, 100 * update / UPDATES);
    for (uint32_t i = 0; i < BAR; i++)
        str_append(out, i < BAR * update / UPDATES ? "\u2588" : " ");
    str_appendf(out, "| %u/%u [", done, batches);
    demo_append_time(out, passed_s);
    str_append(out, "<");
    demo_append_time(out, ms / MS_PER_S - passed_s);
    str_appendf(out, ", %.2fit/s, loss=%.3f]", (double)batches * MS_PER_S / (double)ms,
                demo_train_loss(t, epoch + (double)update / UPDATES));
}

static void demo_train_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    if (piece == 0) {
        str_appendf(out, "%s: torch 2.4.1+cu121, seed %u\nloading data/train-[000-127].tar ...\n", t->title,
                    demo_dice(t->seed, 13, 10000));
        return;
    }
    if (piece == 1) {
        str_appendf(out, "%u samples, model has %u.%u M parameters\n",
                    100000 + demo_dice(t->seed, 14, 900000), 11 + demo_dice(t->seed, 15, 300),
                    demo_dice(t->seed, 16, 10));
        return;
    }
    uint32_t k = piece - 2, epoch = k / EPOCH_PIECES, update = k % EPOCH_PIECES + 1;
    if (update <= UPDATES) {
        demo_train_bar(t, epoch, update, out);
        return;
    }
    double loss = demo_train_loss(t, epoch + 1);
    str_appendf(out, "\nepoch %u/%u  loss %.3f  val_acc %.3f  lr %.1e  %.1f s\n", epoch + 1, EPOCHS, loss,
                1 - loss / 2.4, 3e-4 * (1 + cos(3.14159 * (epoch + 1) / EPOCHS)) / 2,
                (double)demo_output_epoch_ms(t) / MS_PER_S);
}

/* --- a table --- */

static int64_t demo_eval_at(const struct demo_task *t, uint32_t piece)
{
    return piece > ROWS ? INT64_MAX : BEGIN_MS + (t->full_ms - 2 * BEGIN_MS) * piece / (ROWS + 1);
}

static void demo_eval_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    static const char *const sets[ROWS] = {"train",     "val",   "test",       "imagenet-v2", "sketch",
                                           "rendition", "noise", "occlusions", "mean"};
    if (piece == 0) {
        str_appendf(out, "%s: checkpoint runs/last.pt\nset            top-1   top-5    loss\n", t->title);
        return;
    }
    uint32_t d = demo_dice(t->seed, 20 + piece, 1000);
    str_appendf(out, "%-12s  %6.2f  %6.2f  %6.3f\n", sets[piece - 1], 62 + d / 40.0, 86 + d / 90.0,
                1.9 - d / 900.0);
}

/* --- files, steps --- */

static int64_t demo_even_at(const struct demo_task *t, uint32_t piece, int64_t period_ms)
{
    int64_t at = BEGIN_MS + (int64_t)piece * period_ms;
    return at < t->full_ms ? at : INT64_MAX;
}

static void demo_files_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    uint32_t all = (uint32_t)((t->full_ms - BEGIN_MS) / FILE_MS) + 1;
    if (piece == 0)
        str_appendf(out, "%s: %u files in /data/raw\n", t->title, all);
    str_appendf(out, "[%u/%u] /data/raw/part-%04u.parquet  %u rows", piece + 1, all, piece,
                20000 + demo_dice(t->seed, 1000 + piece, 30000));
    str_append(out, demo_dice(t->seed, 5000 + piece, 40) ? "\n" : "  WARNING: 3 rows without a label\n");
}

static void demo_steps_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    if (piece == 0)
        str_appendf(out, "%s\n  step        energy (Ry)     |force|     time\n", t->title);
    str_appendf(out, "%6u  %17.8f  %10.6f  %6.1f s\n", piece + 1,
                -1243.5 - 2 * (1 - exp(-(double)piece / 60)) -
                    demo_dice(t->seed, 2000 + piece, 1000) / 1000000.0,
                0.2 * exp(-(double)piece / 90) + demo_dice(t->seed, 3000 + piece, 100) / 100000.0,
                STEP_MS / 1000.0 + demo_dice(t->seed, 4000 + piece, 90) / 100.0);
}

static void demo_plain_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    if (piece == 0)
        str_appendf(out, "%s: this is the demo, nothing is run\n", t->title);
    else
        str_appendf(out, "%s: part %u done\n", t->title, piece);
}

/* The last words of a task that fails come when it has ended. */
int64_t demo_output_at(const struct demo_task *t, uint32_t piece)
{
    int64_t at = INT64_MAX;
    switch (t->log) {
    case DEMO_LOG_TRAIN: at = demo_train_at(t, piece); break;
    case DEMO_LOG_EVAL: at = demo_eval_at(t, piece); break;
    case DEMO_LOG_FILES: at = demo_even_at(t, piece, FILE_MS); break;
    case DEMO_LOG_STEPS: at = demo_even_at(t, piece, STEP_MS); break;
    case DEMO_LOG_PLAIN: at = demo_even_at(t, piece, PLAIN_MS); break;
    }
    return at;
}

void demo_output_append(const struct demo_task *t, uint32_t piece, struct str *out)
{
    switch (t->log) {
    case DEMO_LOG_TRAIN: demo_train_append(t, piece, out); break;
    case DEMO_LOG_EVAL: demo_eval_append(t, piece, out); break;
    case DEMO_LOG_FILES: demo_files_append(t, piece, out); break;
    case DEMO_LOG_STEPS: demo_steps_append(t, piece, out); break;
    case DEMO_LOG_PLAIN: demo_plain_append(t, piece, out); break;
    }
}
