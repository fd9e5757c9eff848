#include "backend/control/requests/array_element.h"

#include "backend/control/emit.h"

struct job *array_element_split(struct control *c, struct job *record, uint32_t index)
{
    uint32_t new_id = job_pending_elements(record) > 1 ? c->model.next_job : 0;
    uint32_t id = new_id ? new_id : record->id;
    struct ev_split body = {.array_index = index, .new_id = new_id};
    return ctl_emit(c, EV_SPLIT, record->id, &body) < 0 ? NULL : model_get_job(&c->model, id);
}

struct job array_element_of(const struct job *record, uint32_t index)
{
    struct job e = *record;
    e.array_index = index;
    return e;
}

void array_element_ids(struct control *c, const struct job *array, struct job_ids *ret)
{
    uint32_t step = job_origin(array)->array_step ? job_origin(array)->array_step : 1;
    vec_push(&ret->ids, array->id);
    for (uint64_t k = job_origin(array)->array_min; k <= job_origin(array)->array_max; k += step) {
        const struct job *e = model_get_element(&c->model, array->id, (uint32_t)k);
        if (e && e->id != array->id && !job_state_is_final(e->state))
            vec_push(&ret->ids, e->id);
    }
}
