// Tests of the library. With a number as its argument, solves the scrambles on standard input with that effort, and prints
// the states and solutions.

#include <assert.h>
#include <pthread.h>
#include <scramble444.h>
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
    s444_scrambler *none = NULL;
    s444_answer answer;
    s444_verdict verdict;
    s444_error error;

    const char *method = "method must be reduction or five-stage";
    expect(s444_open(NULL, "cfop", NULL, &none, &error), S444_INVALID, &error, method);
    const char *profile = "unknown profile \"tiny\": use pocket, compact or full";
    expect(s444_open(NULL, NULL, "tiny", &none, &error), S444_INVALID, &error, profile);
    profile = "profile full needs a directory of tables";
    expect(s444_open(NULL, NULL, "full", &none, &error), S444_INVALID, &error, profile);
    const char *pointer = "the pointer to the result is NULL";
    expect(s444_open(NULL, NULL, NULL, NULL, &error), S444_INVALID, &error, pointer);
    assert(s444_open("/dev/null", NULL, "compact", &none, &error) == S444_TABLES);
    assert(strstr(error.message, "/dev/null"));
    assert(!none);

    expect(s444_scramble(NULL, NULL, 0, &answer, &error), S444_INVALID, &error, "the scrambler is NULL");
    expect(s444_scramble(scrambler, NULL, 0, NULL, &error), S444_INVALID, &error, pointer);
    expect(s444_scramble(scrambler, "333", 0, &answer, &error), S444_INVALID, &error, "event must be 444 or 444bf");
    expect(s444_scramble(scrambler, NULL, -1, &answer, &error), S444_INVALID, &error, UNKNOWN_EFFORT);
    expect(s444_scramble(scrambler, NULL, 11, &answer, &error), S444_INVALID, &error, UNKNOWN_EFFORT);
    assert(s444_scramble(scrambler, "\xff", 0, &answer, NULL) == S444_INVALID);

    const char *either = "give either scramble or state";
    expect(s444_solve(scrambler, NULL, NULL, 0, &answer, &error), S444_INVALID, &error, either);
    expect(s444_solve(scrambler, "R", SOLVED, 0, &answer, &error), S444_INVALID, &error, either);
    expect(s444_solve(NULL, "R", NULL, 0, &answer, &error), S444_INVALID, &error, "the scrambler is NULL");
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
    s444_answer scramble, solution, again;
    s444_verdict verdict;
    s444_error error;

    expect(s444_scramble(scrambler, "444bf", 1, &scramble, &error), S444_OK, &error, "");
    assert(strlen(scramble.state) == 96);
    expect(s444_solve(scrambler, scramble.turns, NULL, 1, &solution, &error), S444_OK, &error, "");
    expect(s444_solve(scrambler, NULL, scramble.state, 1, &again, &error), S444_OK, &error, "");
    assert(!strcmp(solution.turns, again.turns) && !strcmp(solution.state, again.state));
    assert(turns_in(solution.turns) == solution.moves);
    verdict = followed(scramble.turns, solution.turns);
    assert(verdict.solved == 1 && verdict.far_enough == 0 && verdict.wca_notation == 1);

    expect(s444_verify(NULL, SOLVED, &verdict, &error), S444_OK, &error, "");
    assert(verdict.moves == -1 && verdict.wca_notation == -1 && verdict.solved == 1);
    assert(!strcmp(verdict.state, SOLVED));
}

static void *scramble_in_thread(void *scrambler) {
    for (int number = 0; number < 3; number++) {
        s444_answer scramble;
        s444_error error;
        expect(s444_scramble(scrambler, NULL, 1, &scramble, &error), S444_OK, &error, "");
        assert(turns_in(scramble.turns) == scramble.moves);
        assert(!strcmp(followed(scramble.turns, "").state, scramble.state));
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
        s444_answer solution;
        s444_error error;
        line[strcspn(line, "\n")] = 0;
        expect(s444_solve(scrambler, line, NULL, effort, &solution, &error), S444_OK, &error, "");
        printf("%s %d %s\n", solution.state, solution.moves, solution.turns);
    }
}

int main(int count, char **arguments) {
    s444_scrambler *scrambler;
    s444_error error;
    expect(s444_open(NULL, "reduction", "pocket", &scrambler, &error), S444_OK, &error, "");
    if (count > 1) {
        print_solutions(scrambler, atoi(arguments[1]));
    } else {
        check_errors(scrambler);
        check_results(scrambler);
        check_threads(scrambler);
        printf("ok: %s\n", s444_version());
    }
    s444_close(scrambler);
    s444_close(NULL);
}
