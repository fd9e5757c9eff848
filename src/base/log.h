/* log.h - the daemons' log: one line an entry, key=value, user text escaped and quoted.
 *
 * Only daemons and mains log; libraries return errors. Never blocks on a full disk: a line that cannot be written is counted,
 * and the count is told by the next line that can.
 */
#ifndef STOKER_BASE_LOG_H
#define STOKER_BASE_LOG_H

enum log_level { LOG_LVL_ERROR, LOG_LVL_WARN, LOG_LVL_INFO, LOG_LVL_DEBUG };

/* fd < 0: standard error. name goes into each line. The level may come from STOKER_LOG=debug|info|warn|error. */
void log_open(const char *name, int fd, enum log_level level);
void log_msg(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum log_level log_level_now(void);

#define log_error(...) log_msg(LOG_LVL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_msg(LOG_LVL_WARN, __VA_ARGS__)
#define log_info(...)  log_msg(LOG_LVL_INFO, __VA_ARGS__)
#define log_debug(...)                                                                                       \
    do {                                                                                                     \
        if (log_level_now() >= LOG_LVL_DEBUG)                                                                \
            log_msg(LOG_LVL_DEBUG, __VA_ARGS__);                                                             \
    } while (0)

#endif
