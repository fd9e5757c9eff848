/* job_mail.h - users hear of their jobs by mail, once that is on disk. */
#ifndef STOKER_BACKEND_CONTROL_JOB_MAIL_H
#define STOKER_BACKEND_CONTROL_JOB_MAIL_H

#include "backend/control/core.h"

extern const struct module_ops job_mail_module;

#endif
