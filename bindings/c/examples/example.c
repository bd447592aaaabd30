// Makes a scramble of the 4x4x4 cube, solves it, and draws it as scramble.svg. Ctrl-C stops early.
#include <scramble444.h>
#include <signal.h>
#include <stdio.h>

static s444_cancel_flag *flag;
static void stop(int number) { (void)number, s444_cancel(flag); }

int main(void) {
    s444_scrambler *scrambler;
    s444_scramble_result scramble;
    s444_solution solution;
    s444_picture_result picture;
    s444_error error;
    flag = s444_cancel_flag_new();
    signal(SIGINT, stop);

    const s444_open_options open = {.size = sizeof open, .cancel = flag};
    const s444_scramble_options options = {.size = sizeof options, .effort = 7, .cancel = flag};
    const s444_solve_options limits = {.size = sizeof limits, .effort = 10, .milliseconds = 200, .cancel = flag};
    int code = s444_open(&open, &scrambler, &error);
    if (!code) code = s444_scramble(scrambler, &options, &scramble, &error);
    if (!code) code = s444_solve(scrambler, scramble.scramble, NULL, &limits, &solution, &error);
    if (!code) code = s444_picture(scramble.scramble, NULL, "svg", NULL, 0, &picture, &error);
    if (code) fprintf(stderr, "%s\n", code == S444_CANCELLED ? "stopped" : error.message);
    else printf("%s (%d moves)\n%s (%d moves)\n", scramble.scramble, scramble.moves, solution.solution, solution.moves);
    FILE *file = code ? NULL : fopen("scramble.svg", "w");
    if (file) fputs(picture.bytes, file), fclose(file);
    s444_close(scrambler);
    s444_cancel_flag_free(flag);
    return code;
}
