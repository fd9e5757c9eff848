#include "backend/pmi/pmi_setup.h"

REC_DEFINE(pmi_setup_rank, PMI_SETUP_RANK_FIELDS)
REC_DEFINE(pmi_setup, PMI_SETUP_FIELDS)
