// Prints a scramble of the 4x4x4 cube, solves it, and checks the solution.

#include <scramble444.h>
#include <stdio.h>

static int fail(const s444_error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
}

int main(void) {
    s444_scrambler *scrambler;
    s444_answer scramble, solution;
    s444_verdict verdict;
    s444_error error;
    char turns[2 * S444_TURNS_SIZE];

    if (s444_open(NULL, NULL, NULL, &scrambler, &error)) {
        return fail(&error);
    }
    int code = s444_scramble(scrambler, "444", 4, &scramble, &error);
    if (!code) {
        code = s444_solve(scrambler, scramble.turns, NULL, 1, &solution, &error);
    }
    s444_close(scrambler);
    if (code) {
        return fail(&error);
    }
    printf("%s (%d moves)\n", scramble.turns, scramble.moves);
    printf("%s (%d moves)\n", solution.turns, solution.moves);

    snprintf(turns, sizeof turns, "%s %s", scramble.turns, solution.turns);
    if (s444_verify(turns, NULL, &verdict, &error)) {
        return fail(&error);
    }
    return verdict.solved ? 0 : 1;
}
