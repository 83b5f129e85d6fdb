/*
 * log: what happened inside, for those who look for a fault.  Off by default; HANDLER_LOG=FILE turns it on.
 * Lines: time, process, module, level, text.  Never secrets, never what a pane shows or a person types.
 */
#ifndef HANDLER_BASE_LOG_H
#define HANDLER_BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_open(const char *process); /* e.g. "worker ab12cd"; reads HANDLER_LOG and HANDLER_LOG_LEVEL */
void log_close(void);
void log_write(enum log_level level, const char *module, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define log_error(module, ...) log_write(LOG_LEVEL_ERROR, module, __VA_ARGS__)
#define log_info(module, ...)  log_write(LOG_LEVEL_INFO, module, __VA_ARGS__)
#define log_debug(module, ...) log_write(LOG_LEVEL_DEBUG, module, __VA_ARGS__)

#endif
