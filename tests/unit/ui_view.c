/* Views as values: panes, going to a session, undo, the form on disk; and where things lie on the screen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "ui/repository.h"
#include "ui/stage.h"
#include "ui/view_files.h"

static const struct rect area = {0, 0, 50, 200};

/* "aaaaaa", "bbbbbb" side by side, the focus on the second. */
static struct view *two(void)
{
	struct view *v = view_create("repo", "/src/repo", "aaaaaa");

	layout_arrange(v->layout, area);
	assert_true(view_split(v, v->focus, true, "bbbbbb") != 0);
	return v;
}

static void test_panes(void **state)
{
	struct view *v = two();
	int first = view_find(v, "aaaaaa"), second = view_find(v, "bbbbbb");

	(void)state;
	assert_int_equal(v->count, 2);
	assert_int_equal(v->focus, second);
	assert_int_equal(v->last, first);
	assert_string_equal(view_focused(v), "bbbbbb");
	assert_false(view_set_focus(v, second));
	assert_true(view_set_focus(v, first));
	assert_int_equal(v->last, second);
	assert_int_equal(view_find(v, "cccccc"), 0);
	view_put(v, first, "cccccc");
	assert_string_equal(view_session(v, first), "cccccc");
	/* the focus goes back to where it was */
	assert_true(view_close(v, first));
	assert_int_equal(v->focus, second);
	assert_int_equal(v->last, 0);
	assert_false(view_close(v, second)); /* the last one stays */
	view_destroy(v);
}

/* A pane's number is never used again, so nobody takes a new pane for an old one. */
static void test_ids_are_not_used_again(void **state)
{
	struct view *v = two();
	int second = v->focus;

	(void)state;
	view_close(v, second);
	layout_arrange(v->layout, area);
	assert_true(view_split(v, v->focus, false, "cccccc") > second);
	view_destroy(v);
}

static void test_no_room_changes_nothing(void **state)
{
	struct view *v = view_create("repo", NULL, "aaaaaa"), *before;

	(void)state;
	layout_arrange(v->layout, (struct rect){0, 0, 8, 30});
	before = view_copy(v);
	assert_int_equal(view_split(v, v->focus, true, "bbbbbb"), 0);
	assert_int_equal(view_split(v, v->focus, false, "bbbbbb"), 0);
	assert_true(view_equal(v, before));
	view_destroy(v);
	view_destroy(before);
}

static void test_fill(void **state)
{
	const char *ids[] = {"aaaaaa", "bbbbbb", "cccccc"};
	struct view *v = two();
	struct rect a, b;

	(void)state;
	view_fill(v, ids, 3, LAYOUT_COLUMNS);
	layout_arrange(v->layout, area);
	assert_int_equal(v->count, 3);
	assert_string_equal(view_focused(v), "aaaaaa");
	assert_true(layout_rect(v->layout, view_find(v, "aaaaaa"), &a));
	assert_true(layout_rect(v->layout, view_find(v, "cccccc"), &b));
	assert_int_equal(a.rows, b.rows);
	assert_true(b.col > a.col + a.cols);
	assert_in_range(a.cols, 65, 67); /* a third of 200 without two dividers */
	view_destroy(v);
}

static bool only_b(const char *session, void *user)
{
	(void)user;
	return strcmp(session, "bbbbbb") == 0;
}

static bool nobody(const char *session, void *user)
{
	(void)session;
	(void)user;
	return false;
}

static void test_prune(void **state)
{
	struct view *v = two();

	(void)state;
	assert_int_equal(view_prune(v, nobody, NULL), 0);
	assert_int_equal(v->count, 2); /* as it was */
	assert_int_equal(view_prune(v, only_b, NULL), 1);
	assert_string_equal(view_focused(v), "bbbbbb");
	view_destroy(v);
}

static void test_json(void **state)
{
	struct view *v = two(), *again;
	struct err err = ERR_INIT;

	(void)state;
	v->zoomed = true;
	v->kind = LAYOUT_TILED;
	struct json *j = view_to_json(v);

	again = view_from_json(j, "repo.json", &err);
	assert_non_null(again);
	layout_arrange(again->layout, area);
	assert_true(view_equal(v, again));
	assert_string_equal(again->repository, "/src/repo");
	assert_int_equal(again->used, v->used);
	json_free(j);
	view_destroy(again);
	view_destroy(v);
}

/* What somebody wrote by hand: refused with the reason, never half taken. */
static void test_faulty_json(void **state)
{
	static const char *const faulty[] = {
	    "{}",
	    "{\"name\": \"x\"}",
	    "{\"name\": \"x\", \"panes\": []}",
	    "{\"name\": \"x\", \"panes\": [{\"id\": 0, \"session\": \"aaaaaa\"}]}",
	    "{\"name\": \"x\", \"panes\": [{\"id\": 1, \"session\": \"aaa\"}]}",
	    "{\"name\": \"x\", \"panes\": [{\"id\": 1, \"session\": \"aaaaaa\"}]}",
	    "{\"name\": \"x\", \"panes\": [{\"id\": 1, \"session\": \"aaaaaa\"}], \"layout\": 7}",
	    ("{\"name\": \"x\", \"panes\": [{\"id\": 1, \"session\": \"aaaaaa\"}, {\"id\": 1, \"session\": "
	     "\"bbbbbb\"}]}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(faulty); i++) {
		struct err err = ERR_INIT;
		struct json *j = json_parse(faulty[i], strlen(faulty[i]), "x.json", NULL);

		assert_null(view_from_json(j, "x.json", &err));
		assert_int_equal(err.code, ERR_INVALID);
		assert_non_null(strstr(err.message, "x.json"));
		json_free(j);
	}
}

/* --- going to a session --- */

static bool refuse_b(const struct view *v, void *user)
{
	(void)user;
	return strcmp(v->name, "b") != 0;
}

static void test_going(void **state)
{
	struct views v;

	(void)state;
	views_init(&v);
	views_add(&v, two()); /* "repo": aaaaaa | bbbbbb* */
	views_add(&v, view_create("b", "/src/b", "cccccc"));
	views_switch(&v, views_named(&v, "repo"));

	assert_int_equal(views_go(&v, "bbbbbb", "/src/repo", "repo", NULL, NULL), WENT_NOWHERE);
	/* in this view: the focus moves */
	assert_int_equal(views_go(&v, "aaaaaa", "/src/repo", "repo", NULL, NULL), WENT_FOCUS);
	assert_string_equal(view_focused(v.current), "aaaaaa");
	/* in another view: that comes up */
	assert_int_equal(views_go(&v, "cccccc", "/src/b", "b", NULL, NULL), WENT_VIEW);
	assert_string_equal(v.current->name, "b");
	/* back, and forth again */
	assert_true(views_undo(&v, NULL, NULL));
	assert_string_equal(v.current->name, "repo");
	assert_string_equal(view_focused(v.current), "aaaaaa");
	assert_true(views_undo(&v, NULL, NULL));
	assert_string_equal(v.current->name, "b");
	assert_true(views_undo(&v, NULL, NULL));
	/* another terminal shows it: the pane with the focus takes the session */
	assert_int_equal(views_go(&v, "cccccc", "/src/b", "b", refuse_b, NULL), WENT_TAKEN);
	assert_string_equal(v.current->name, "repo");
	assert_string_equal(view_focused(v.current), "cccccc");
	assert_int_equal(v.current->count, 2);
	views_finish(&v);
}

static void test_undo_brings_the_layout_back(void **state)
{
	struct views v;
	struct view *before;

	(void)state;
	views_init(&v);
	views_add(&v, two());
	views_switch(&v, v.items[0]);
	layout_arrange(v.current->layout, area);
	before = view_copy(v.current);
	assert_int_equal(views_go(&v, "dddddd", NULL, "repo", NULL, NULL), WENT_TAKEN);
	assert_true(view_split(v.current, v.current->focus, false, "eeeeee") != 0);
	assert_true(view_close(v.current, view_find(v.current, "aaaaaa")));
	assert_true(views_undo(&v, NULL, NULL));
	layout_arrange(v.current->layout, area);
	assert_true(view_equal(v.current, before));
	assert_int_equal(v.count, 1);
	view_destroy(before);
	views_finish(&v);
}

static void test_a_view_is_made_and_named(void **state)
{
	struct views v;

	(void)state;
	views_init(&v);
	assert_false(views_undo(&v, NULL, NULL));
	views_add(&v, view_create("api", "/other/api", "aaaaaa"));
	assert_int_equal(views_go(&v, "bbbbbb", "/src/api", "api", NULL, NULL), WENT_MADE);
	assert_string_equal(v.current->name, "api-2");
	assert_ptr_equal(views_of_repository(&v, "/src/api", NULL, NULL), v.current);
	assert_null(views_of_repository(&v, "/nowhere", NULL, NULL));
	views_finish(&v);
}

static void test_a_pane_gets_a_view_of_its_own(void **state)
{
	struct views v;

	(void)state;
	views_init(&v);
	views_add(&v, two());
	views_switch(&v, v.items[0]);
	assert_true(views_break(&v, "web"));
	assert_string_equal(v.current->name, "web");
	assert_string_equal(view_focused(v.current), "bbbbbb");
	assert_int_equal(views_named(&v, "repo")->count, 1);
	assert_false(views_break(&v, "web"));
	assert_true(views_undo(&v, NULL, NULL));
	assert_string_equal(v.current->name, "repo");
	assert_int_equal(v.current->count, 2);
	views_finish(&v);
}

static void test_the_last_used_one(void **state)
{
	struct views v;

	(void)state;
	views_init(&v);
	assert_null(views_last_used(&v, NULL, NULL));
	views_add(&v, view_create("a", NULL, "aaaaaa"));
	views_add(&v, view_create("b", NULL, "bbbbbb"));
	v.items[0]->used = 10;
	v.items[1]->used = 20;
	assert_string_equal(views_last_used(&v, NULL, NULL)->name, "b");
	assert_string_equal(views_last_used(&v, refuse_b, NULL)->name, "a");
	views_finish(&v);
}

/* --- files --- */

static char *scratch(void)
{
	char *dir = mem_strdup("/tmp/ui-view-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void remove_all(const char *dir)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		AUTO_FREE char *path = path_join(dir, e->d_name);

		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(path) < 0)
			remove_all(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static void test_files_and_locks(void **state)
{
	AUTO_FREE char *dir = scratch();
	struct err err = ERR_INIT;
	struct views mine, theirs;

	(void)state;
	setenv("XDG_STATE_HOME", dir, 1);
	struct view_files *a = view_files_open(&err), *b = view_files_open(&err);
	struct view *v = two();

	assert_non_null(a);
	views_init(&mine);
	views_init(&theirs);
	assert_true(view_files_lock(a, "repo"));
	assert_int_equal(view_files_save(a, v, &err), 0);
	/* another terminal sees it, and that it is shown */
	view_files_load(b, &theirs);
	assert_int_equal(theirs.count, 1);
	assert_true(view_files_shown_elsewhere(b, "repo"));
	assert_false(view_files_lock(b, "repo"));
	assert_false(view_files_shown_elsewhere(a, "repo"));
	/* given back: the other one may have it */
	assert_true(view_files_lock(a, NULL));
	assert_true(view_files_lock(b, "repo"));
	/* a faulty file is left out, and kept */
	AUTO_FREE char *broken = mem_printf("%s/handler/views/broken.json", dir);

	assert_int_equal(path_write_file(broken, "{", 1, 0600, &err), 0);
	view_files_load(a, &mine);
	assert_int_equal(mine.count, 1);
	assert_int_equal(access(broken, F_OK), 0);
	view_files_remove(b, "repo");
	AUTO_FREE char *path = mem_printf("%s/handler/views/repo.json", dir);

	assert_int_not_equal(access(path, F_OK), 0);
	views_finish(&mine);
	views_finish(&theirs);
	view_destroy(v);
	view_files_close(a);
	view_files_close(b);
	remove_all(dir);
}

static void make_dir(const char *dir, const char *name)
{
	AUTO_FREE char *path = path_join(dir, name);

	assert_int_equal(path_make_dirs(path, 0700, NULL), 0);
}

static void test_repositories(void **state)
{
	AUTO_FREE char *dir = scratch();
	struct err err = ERR_INIT;

	(void)state;
	make_dir(dir, "api/.git/worktrees/fix");
	make_dir(dir, "api/src/deep");
	make_dir(dir, "fix/src");
	make_dir(dir, "plain/sub");
	AUTO_FREE char *git_file = mem_printf("%s/fix/.git", dir);
	AUTO_FREE char *content = mem_printf("gitdir: %s/api/.git/worktrees/fix\n", dir);

	assert_int_equal(path_write_file(git_file, content, strlen(content), 0600, &err), 0);
	AUTO_FREE char *api = mem_printf("%s/api", dir), *deep = mem_printf("%s/api/src/deep", dir);
	AUTO_FREE char *fix = mem_printf("%s/fix/src", dir), *plain = mem_printf("%s/plain/sub", dir);
	AUTO_FREE char *of_deep = repository_of(deep), *of_fix = repository_of(fix),
		       *of_plain = repository_of(plain);

	assert_string_equal(of_deep, api);
	assert_string_equal(of_fix, api); /* a worktree belongs to its main repository */
	assert_string_equal(of_plain, plain);
	AUTO_FREE char *name = repository_name(of_deep), *root = repository_name("/");

	assert_string_equal(name, "api");
	assert_string_equal(root, "root");
	remove_all(dir);
}

/* --- geometry --- */

static void test_geometry(void **state)
{
	struct geometry g = geometry_of(40, 160, SIDEBAR_AUTO, 3);

	(void)state;
	assert_int_equal(g.sidebar.cols, SIDEBAR_COLS);
	assert_int_equal(g.panes.cols, 160 - SIDEBAR_COLS);
	assert_int_equal(g.panes.rows, 39);
	assert_int_equal(g.bottom.row, 39);
	assert_false(g.line);
	/* one session needs no list */
	g = geometry_of(40, 160, SIDEBAR_AUTO, 1);
	assert_int_equal(g.sidebar.cols, 0);
	assert_false(g.line);
	/* below 110 columns a line instead */
	g = geometry_of(40, 109, SIDEBAR_AUTO, 3);
	assert_int_equal(g.sidebar.cols, 0);
	assert_int_equal(g.panes.cols, 109);
	assert_true(g.line);
	g = geometry_of(40, 110, SIDEBAR_AUTO, 3);
	assert_int_equal(g.sidebar.cols, SIDEBAR_COLS);
	/* as told */
	assert_true(geometry_of(40, 200, SIDEBAR_LINE, 3).line);
	assert_int_equal(geometry_of(40, 100, SIDEBAR_FULL, 1).sidebar.cols, SIDEBAR_COLS);
	assert_false(geometry_of(40, 100, SIDEBAR_OFF, 3).line);
	assert_true(geometry_of(40, 40, SIDEBAR_FULL, 3).line);
	assert_int_equal(sidebar_form_from_name("off"), SIDEBAR_OFF);
	assert_int_equal(sidebar_form_from_name("wide"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_panes),
	    cmocka_unit_test(test_ids_are_not_used_again),
	    cmocka_unit_test(test_no_room_changes_nothing),
	    cmocka_unit_test(test_fill),
	    cmocka_unit_test(test_prune),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_faulty_json),
	    cmocka_unit_test(test_going),
	    cmocka_unit_test(test_undo_brings_the_layout_back),
	    cmocka_unit_test(test_a_view_is_made_and_named),
	    cmocka_unit_test(test_a_pane_gets_a_view_of_its_own),
	    cmocka_unit_test(test_the_last_used_one),
	    cmocka_unit_test(test_files_and_locks),
	    cmocka_unit_test(test_repositories),
	    cmocka_unit_test(test_geometry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
