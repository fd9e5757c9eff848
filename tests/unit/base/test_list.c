/* Intrusive lists and growable arrays. */
#include "tests/lib/check.h"

#include "src/base/list.h"
#include "src/base/vec.h"

struct item {
    int n;
    struct list link;
};

static void check_order(struct list *head, const char *want)
{
    char got[16] = "";
    size_t n = 0;
    list_for_each (it, head, struct item, link)
        got[n++] = (char)('0' + it->n);
    check_str(want, got, want);
}

static void empty_list(void **unused)
{
    (void)unused;
    struct list head;
    list_init(&head);
    assert_true(list_empty(&head));
    assert_null(list_first(&head, struct item, link));
    list_unlink(&head);
    check_order(&head, "");
}

static void order_and_moves(void **unused)
{
    (void)unused;
    struct list head, other;
    struct item items[4];
    list_init(&head);
    list_init(&other);
    for (int i = 0; i < 4; i++) {
        items[i].n = i;
        list_init(&items[i].link);
        list_append(&head, &items[i].link);
    }
    check_order(&head, "0123");
    list_unlink(&items[2].link);
    list_unlink(&items[2].link); /* harmless */
    check_order(&head, "013");
    list_insert_before(&items[0].link, &items[2].link);
    check_order(&head, "2013");
    list_move_to_end(&head, &items[0].link);
    check_order(&head, "2130");
    list_move_to_end(&other, &items[3].link);
    check_order(&head, "210");
    check_order(&other, "3");
    assert_ptr_equal(list_first(&head, struct item, link), &items[2]);
}

static void unlinking_while_walking(void **unused)
{
    (void)unused;
    struct list head;
    struct item items[5];
    list_init(&head);
    for (int i = 0; i < 5; i++) {
        items[i].n = i;
        list_init(&items[i].link);
        list_append(&head, &items[i].link);
    }
    list_for_each (it, &head, struct item, link)
        if (it->n != 2)
            list_unlink(&it->link);
    check_order(&head, "2");
}

static void arrays(void **unused)
{
    (void)unused;
    VEC(int) a = VEC_INIT;
    for (int i = 0; i < 100; i++)
        vec_push(&a, i);
    assert_int_equal(a.n, 100);
    vec_for_each (&a, i)
        assert_int_equal(a.v[i], (int)i);
    vec_remove(&a, 99);
    vec_remove(&a, 0);
    vec_remove(&a, 49);
    assert_int_equal(a.n, 97);
    assert_int_equal(a.v[0], 1);
    assert_int_equal(a.v[48], 49);
    assert_int_equal(a.v[49], 51);
    assert_int_equal(a.v[96], 98);
    vec_clear(&a);
    vec_push(&a, 5);
    assert_int_equal(a.v[0], 5);
    vec_fini(&a);
    assert_int_equal(a.cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty_list), cmocka_unit_test(order_and_moves),
                                       cmocka_unit_test(unlinking_while_walking), cmocka_unit_test(arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
