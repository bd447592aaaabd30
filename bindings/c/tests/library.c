// Tests of the library. With a number as its argument, solves the scrambles on standard input with that effort, and prints
// the states and solutions.

// For pthread_kill.
#define _POSIX_C_SOURCE 200809L

#include <assert.h>
#include <pthread.h>
#include <scramble444.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SOLVED =
    "UUUUUUUUUUUUUUUURRRRRRRRRRRRRRRRFFFFFFFFFFFFFFFFDDDDDDDDDDDDDDDDLLLLLLLLLLLLLLLLBBBBBBBBBBBBBBBB";
static const char *const UNKNOWN_EFFORT = "a level of effort is a whole number from 1 to 10";

static void expect(int found, int code, const s444_error *error, const char *message) {
    if (found != code || strcmp(error->message, message)) {
        fprintf(stderr, "code %d, not %d: \"%s\", not \"%s\"\n", found, code, error->message, message);
        exit(1);
    }
}

static int turns_in(const char *text) {
    int count = *text != 0;
    for (; *text; text++) {
        count += *text == ' ';
    }
    return count;
}

// What scramble and solution lead to, from the solved cube.
static s444_verdict followed(const char *scramble, const char *solution) {
    char turns[2 * S444_TURNS_SIZE];
    s444_verdict verdict;
    s444_error error;
    snprintf(turns, sizeof turns, "%s %s", scramble, solution);
    expect(s444_verify(turns, NULL, &verdict, &error), S444_OK, &error, "");
    return verdict;
}

static void check_errors(const s444_scrambler *scrambler) {
    s444_scrambler *none;
    s444_scramble_result scramble;
    s444_solution solution;
    s444_verdict verdict;
    s444_error error;

    const char *method = "method must be reduction or five-stage";
    s444_open_options open = {.size = sizeof open, .method = "cfop"};
    expect(s444_open(&open, &none, &error), S444_INVALID, &error, method);
    assert(!none);
    open = (s444_open_options){.size = sizeof open, .profile = "tiny"};
    const char *profile = "unknown profile \"tiny\": use pocket, compact or full";
    expect(s444_open(&open, &none, &error), S444_INVALID, &error, profile);
    open.profile = "full";
    profile = "profile full needs a directory of tables (tables_dir)";
    expect(s444_open(&open, &none, &error), S444_INVALID, &error, profile);
    open.profile = "\xff";
    assert(s444_open(&open, &none, &error) == S444_INVALID && strstr(error.message, "profile is not UTF-8"));
    expect(s444_open(NULL, NULL, &error), S444_INVALID, &error, "scrambler is NULL");
    open = (s444_open_options){.size = sizeof open, .tables_dir = "/dev/null", .profile = "compact"};
    assert(s444_open(&open, &none, &error) == S444_TABLES);
    assert(strstr(error.message, "/dev/null"));
    assert(!none);

    expect(s444_scramble(NULL, NULL, &scramble, &error), S444_INVALID, &error, "scrambler is NULL");
    expect(s444_scramble(scrambler, NULL, NULL, &error), S444_INVALID, &error, "scramble is NULL");
    const char *subsets = "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges";
    const struct {
        s444_scramble_options options;
        const char *message;
    } invalid[] = {
        {{.event = "333"}, "event must be 444 or 444bf"},
        {{.effort = -1}, UNKNOWN_EFFORT},
        {{.effort = 11}, UNKNOWN_EFFORT},
        {{.subset = "oll"}, subsets},
        {{.event = "444bf", .padded = 1}, "subset and padded are only for event 444"},
        {{.state = SOLVED, .padded = 1}, "state cannot have a subset or be padded"},
        {{.milliseconds = -1}, "milliseconds must be 0 or more"},
    };
    for (size_t index = 0; index < sizeof invalid / sizeof *invalid; index++) {
        s444_scramble_options options = invalid[index].options;
        assert(s444_scramble(scrambler, &options, &scramble, &error) == S444_INVALID);
        assert(strstr(error.message, "options.size must be sizeof *options"));
        options.size = sizeof options + 8;
        assert(s444_scramble(scrambler, &options, &scramble, NULL) == S444_INVALID);
        options.size = sizeof options;
        expect(s444_scramble(scrambler, &options, &scramble, &error), S444_INVALID, &error, invalid[index].message);
    }
    // The size of a pointer to the options, and one that ends within a member.
    for (size_t size = 8; size <= 12; size += 4) {
        const s444_scramble_options wrong = {size, .event = "444"};
        assert(s444_scramble(scrambler, &wrong, &scramble, &error) == S444_INVALID);
    }

    const char *either = "give either scramble or state";
    expect(s444_solve(scrambler, NULL, NULL, NULL, &solution, &error), S444_INVALID, &error, either);
    expect(s444_solve(scrambler, "R", SOLVED, NULL, &solution, &error), S444_INVALID, &error, either);
    expect(s444_solve(NULL, "R", NULL, NULL, &solution, &error), S444_INVALID, &error, "scrambler is NULL");
    expect(s444_verify(NULL, NULL, &verdict, &error), S444_INVALID, &error, either);
    assert(s444_verify("R Q", NULL, &verdict, &error) == S444_INVALID && strchr(error.message, 'Q'));

    // A message is cut if it is too long.
    char *turns = calloc(1, 5000);
    memset(turns, 'Q', 4999);
    assert(s444_verify(turns, NULL, &verdict, &error) == S444_INVALID);
    assert(strlen(error.message) < S444_MESSAGE_SIZE);
    free(turns);
}

static void check_results(const s444_scrambler *scrambler) {
    s444_scramble_result scramble;
    s444_solution solution, again;
    s444_verdict verdict;
    s444_error error;

    const s444_solve_options fast = {.size = sizeof fast, .effort = 1};
    s444_scramble_options options = {.size = sizeof options, .event = "444bf", .effort = 1};
    expect(s444_scramble(scrambler, &options, &scramble, &error), S444_OK, &error, "");
    assert(strlen(scramble.state) == 96);
    expect(s444_solve(scrambler, scramble.scramble, NULL, &fast, &solution, &error), S444_OK, &error, "");
    expect(s444_solve(scrambler, NULL, scramble.state, &fast, &again, &error), S444_OK, &error, "");
    assert(!strcmp(solution.solution, again.solution) && !strcmp(solution.state, again.state));
    assert(!strcmp(solution.state, scramble.state));
    assert(turns_in(solution.solution) == solution.moves);
    verdict = followed(scramble.scramble, solution.solution);
    assert(verdict.solved == 1 && verdict.far_enough == 0 && verdict.wca_notation == 1);

    expect(s444_verify(NULL, SOLVED, &verdict, &error), S444_OK, &error, "");
    assert(verdict.moves == -1 && verdict.wca_notation == -1 && verdict.solved == 1);
    assert(!strcmp(verdict.state, SOLVED));

    // All but the corners and edges of the U layer is solved.
    options = (s444_scramble_options){.size = sizeof options, .subset = "pll", .effort = 1};
    expect(s444_scramble(scrambler, &options, &scramble, &error), S444_OK, &error, "");
    assert(!strncmp(scramble.state, SOLVED, 16) && !strncmp(scramble.state + 20, SOLVED + 20, 12));
    options = (s444_scramble_options){.size = sizeof options, .padded = 1, .effort = 1};
    expect(s444_scramble(scrambler, &options, &scramble, &error), S444_OK, &error, "");
    const char *padding = "R' U' F", *end = scramble.scramble + strlen(scramble.scramble) - strlen(padding);
    assert(!strncmp(scramble.scramble, padding, strlen(padding)) && !strcmp(end, padding));
    assert(!strcmp(followed(scramble.scramble, "").state, scramble.state));

    // A scramble to a state, which is the same each time; with rotations, exactly to it.
    static s444_scramble_result first, second;
    options = (s444_scramble_options){.size = sizeof options, .event = "444bf", .state = solution.state, .effort = 1};
    expect(s444_scramble(scrambler, &options, &first, &error), S444_OK, &error, "");
    assert(!strcmp(first.state, solution.state) && !strcmp(followed(first.scramble, "").state, solution.state));
    expect(s444_scramble(scrambler, &options, &second, &error), S444_OK, &error, "");
    assert(!strcmp(first.scramble, second.scramble) && !first.hurried);
    options.event = "444";
    expect(s444_scramble(scrambler, &options, &second, &error), S444_OK, &error, "");
    assert(!strncmp(first.scramble, second.scramble, strlen(second.scramble)) && first.moves == second.moves);

    // A search whose time is over has a result.
    const s444_solve_options late = {.size = sizeof late, .effort = 10, .milliseconds = 1};
    expect(s444_solve(scrambler, NULL, solution.state, &late, &again, &error), S444_OK, &error, "");
    assert(again.hurried && followed(first.scramble, again.solution).solved);
}

static void count(double part, void *context) {
    assert(part >= 0 && part <= 1);
    ++*(int *)context;
}

static s444_scrambler *open_scrambler(int *calls) {
    const s444_open_options options = {
        .size = sizeof options, .method = "reduction", .profile = "pocket", .progress = count, .context = calls};
    s444_scrambler *scrambler;
    s444_error error;
    expect(s444_open(&options, &scrambler, &error), S444_OK, &error, "");
    return scrambler;
}

static void check_pictures(void) {
    static s444_picture_result picture;
    s444_error error;

    expect(s444_picture("Rw U2", NULL, NULL, NULL, 0, &picture, &error), S444_OK, &error, "");
    assert(!strncmp(picture.bytes, "<svg ", 5) && strlen(picture.bytes) == picture.size);
    assert(strstr(picture.bytes, "#ff8000") && !strstr(picture.bytes, "#123456"));
    const char *scheme = "00f,ff0,0f0,123456,f00,fff";
    expect(s444_picture(NULL, SOLVED, "svg", scheme, 0, &picture, &error), S444_OK, &error, "");
    assert(strstr(picture.bytes, "#123456") && !strstr(picture.bytes, "#ff8000"));
    size_t size = 0;
    for (int scale = 0; scale <= 8; scale++) {
        expect(s444_picture("Rw U2 F D' L2", NULL, "png", NULL, scale, &picture, &error), S444_OK, &error, "");
        assert(!memcmp(picture.bytes, "\x89PNG", 4) && !memcmp(picture.bytes + picture.size - 8, "IEND", 4));
        // 0 is 1.
        assert(scale == 1 ? picture.size == size : picture.size > size);
        size = picture.size;
    }

    const char *format = "the format of a picture must be svg or png";
    expect(s444_picture("R", NULL, "gif", NULL, 0, &picture, &error), S444_INVALID, &error, format);
    const char *only = "scale is only for png";
    expect(s444_picture("R", NULL, NULL, NULL, 2, &picture, &error), S444_INVALID, &error, only);
    const char *scales = "the scale of a picture must be a whole number from 1 to 8";
    expect(s444_picture("R", NULL, "png", NULL, 9, &picture, &error), S444_INVALID, &error, scales);
    expect(s444_picture("R", NULL, "png", NULL, -1, &picture, &error), S444_INVALID, &error, scales);
    assert(s444_picture("R", NULL, NULL, "red", 0, &picture, &error) == S444_INVALID && *error.message);
    const char *either = "give either scramble or state";
    expect(s444_picture(NULL, NULL, NULL, NULL, 0, &picture, &error), S444_INVALID, &error, either);
}

static s444_cancel_flag *flag;

static void cancel(int number) {
    (void)number;
    s444_cancel(flag);
}

static void *send_signal(void *thread) {
    assert(!pthread_kill(*(pthread_t *)thread, SIGUSR1));
    return NULL;
}

static void check_cancelling(s444_scrambler *scrambler) {
    const char *search = "the search was cancelled";
    s444_scrambler *none = scrambler;
    s444_scramble_result scramble;
    s444_solution solution;
    s444_error error;
    pthread_t self = pthread_self(), sender;
    int code = S444_OK;

    // By a signal handler, which interrupts a search or comes before one.
    flag = s444_cancel_flag_new();
    signal(SIGUSR1, cancel);
    const s444_scramble_options options = {.size = sizeof options, .effort = 10, .cancel = flag};
    assert(!pthread_create(&sender, NULL, send_signal, &self));
    for (int number = 0; number < 20 && !code; number++) {
        code = s444_scramble(scrambler, &options, &scramble, &error);
    }
    expect(code, S444_CANCELLED, &error, search);
    assert(!pthread_join(sender, NULL));

    s444_solve_options limits = {.size = sizeof limits, .effort = 1, .cancel = flag};
    expect(s444_solve(scrambler, "Rw U", NULL, &limits, &solution, &error), S444_CANCELLED, &error, search);
    const s444_open_options open = {.size = sizeof open, .cancel = flag};
    expect(s444_open(&open, &none, &error), S444_CANCELLED, &error, "opening was cancelled");
    assert(!none);
    s444_cancel_flag_free(flag);

    // The scrambler is as before.
    flag = s444_cancel_flag_new();
    limits.cancel = flag;
    expect(s444_solve(scrambler, "Rw U", NULL, &limits, &solution, &error), S444_OK, &error, "");
    s444_cancel_flag_free(flag);
    s444_cancel(NULL);
    s444_cancel_flag_free(NULL);
}

static void *scramble_in_thread(void *scrambler) {
    const s444_scramble_options options = {.size = sizeof options, .effort = 1};
    for (int number = 0; number < 3; number++) {
        s444_scramble_result scramble;
        s444_error error;
        expect(s444_scramble(scrambler, &options, &scramble, &error), S444_OK, &error, "");
        assert(turns_in(scramble.scramble) == scramble.moves);
        assert(!strcmp(followed(scramble.scramble, "").state, scramble.state));
    }
    return NULL;
}

static void check_threads(s444_scrambler *scrambler) {
    pthread_t threads[4];
    for (int number = 0; number < 4; number++) {
        assert(!pthread_create(&threads[number], NULL, scramble_in_thread, scrambler));
    }
    for (int number = 0; number < 4; number++) {
        assert(!pthread_join(threads[number], NULL));
    }
}

static void print_solutions(const s444_scrambler *scrambler, int effort) {
    char line[1000];
    while (fgets(line, sizeof line, stdin)) {
        s444_solution solution;
        s444_error error;
        line[strcspn(line, "\n")] = 0;
        const s444_solve_options options = {.size = sizeof options, .effort = effort};
        expect(s444_solve(scrambler, line, NULL, &options, &solution, &error), S444_OK, &error, "");
        printf("%s %d %s\n", solution.state, solution.moves, solution.solution);
    }
}

int main(int argument_count, char **arguments) {
    int built = 0, shared = 0;
    s444_scrambler *scrambler = open_scrambler(&built);
    assert(built);
    // Another one has the same tables.
    s444_close(open_scrambler(&shared));
    assert(!shared);
    if (argument_count > 1) {
        print_solutions(scrambler, atoi(arguments[1]));
    } else {
        check_errors(scrambler);
        check_results(scrambler);
        check_pictures();
        check_threads(scrambler);
        check_cancelling(scrambler);
        char version[32];
        snprintf(version, sizeof version, "%d.%d.%d", S444_VERSION_MAJOR, S444_VERSION_MINOR, S444_VERSION_PATCH);
        assert(!strcmp(version, s444_version()) && S444_VERSION_NUMBER >= 400);
        printf("ok: %s\n", version);
    }
    s444_close(scrambler);
    s444_close(NULL);
}
