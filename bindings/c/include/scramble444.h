// WCA-style random-state scrambles for the 4x4x4 cube. Needs C99 or C++11.
//
// Functions return S444_OK or the code of an error. They write a result only if there is no error, and the message in any
// case. `error` may be NULL. If a scrambler or the place for a result is NULL, the code is S444_INVALID.
//
// All texts are UTF-8 that ends with a zero byte. The library keeps no pointer that it is given. The caller owns all
// memory except scramblers and flags, which the library makes and frees. Threads may call all functions at the same time,
// also with the same scrambler or flag, which must not be freed until they have returned.
//
// Options begin with their size: in C `s444_scramble_options options = {.size = sizeof options};`, in C++
// `s444_scramble_options options{}; options.size = sizeof options;`.
// The process aborts if there is no memory, unless a table needs it.

#ifndef SCRAMBLE444_H
#define SCRAMBLE444_H

#include <stddef.h>
#include <stdint.h>

// The version of this header; s444_version is that of the library.
#define S444_VERSION_MAJOR 0
#define S444_VERSION_MINOR 5
#define S444_VERSION_PATCH 0
#define S444_VERSION_NUMBER (10000 * S444_VERSION_MAJOR + 100 * S444_VERSION_MINOR + S444_VERSION_PATCH)

// There is no error.
#define S444_OK 0

// An argument is not allowed. The message says what is.
#define S444_INVALID 1

// A table is bad, or cannot be built or written.
#define S444_TABLES 2

// A defect of the library.
#define S444_INTERNAL 3

// The work was cancelled; see s444_cancel.
#define S444_CANCELLED 4

// The size of the message of an error, with the zero byte.
#define S444_MESSAGE_SIZE 1024

// The size of the turns of a scramble or a solution, with the zero byte.
#define S444_TURNS_SIZE 512

// The size of facelets, with the zero byte.
#define S444_STATE_SIZE 97

// The size of the largest picture, with the zero byte.
#define S444_PICTURE_SIZE 32768

// Cancels work from a signal handler or another thread.
typedef struct s444_cancel_flag s444_cancel_flag;

// Makes scrambles and solutions.
typedef struct s444_scrambler s444_scrambler;

// Options to open a scrambler. Members that are zero have their defaults.
typedef struct {
  // The size of this structure, which later versions may extend.
  size_t size;
  // Where tables are kept: opens those in this directory, and builds those that are missing. If it is NULL, small ones
  // are made in memory in one or two seconds, unless another scrambler of the process has them.
  const char *tables_dir;
  // "reduction" or "five-stage"; NULL is "reduction".
  const char *method;
  // "pocket", which uses no files, "compact" or "full"; NULL is "pocket" without `tables_dir`, otherwise "full" if all
  // its files exist, otherwise "compact".
  const char *profile;
  // Called while tables are built, with the part that is built, from 0 to 1, in any thread, perhaps in several at once; may
  // be NULL. It must return: no exception of C++ may leave it.
  void (*progress)(double part, void *context);
  // For `progress`.
  void *context;
  // Cancels opening; files of tables that are finished stay. NULL if nothing does.
  const s444_cancel_flag *cancel;
} s444_open_options;

// What is wrong.
typedef struct {
  // A message in English; empty if there is no error. What does not fit is cut off.
  char message[S444_MESSAGE_SIZE];
} s444_error;

// Options of a scramble. Members that are zero have their defaults.
typedef struct {
  // The size of this structure, which later versions may extend.
  size_t size;
  // "444" or "444bf", whose scrambles end in a random orientation; NULL is "444".
  const char *event;
  // "centers", "wings", "reduced" (corners, and wings in pairs), "last-layer" (corners and paired wings of the U layer),
  // "pll" (these, with their U stickers on top) or "last-eight-edges" (corners, and all wings but those of the D layer):
  // only these pieces are scrambled, and the state may be the solved one. Such scrambles have about 70 turns, which do not
  // reveal the subset. NULL is all states at least two turns from solved. Only for "444".
  const char *subset;
  // The state that the scramble leads to, 96 facelets, up to rotations of the whole cube, which "444bf" has at its end.
  // The same state gives the same scramble, with the same version, method, tables and effort, unless time is short: pass
  // the state of a scramble on to have it elsewhere. Not with `subset` or `padded`. NULL is a random state.
  const char *state;
  // 1 for a scramble that begins and ends with R' U' F, as in the fewest moves event. Only for "444".
  int32_t padded;
  // From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
  int32_t effort;
  // After this time, the search ends with the best scramble that it has; if it has none, with one of effort 1, some
  // milliseconds later. 0 is no limit.
  int32_t milliseconds;
  // Cancels the search; NULL if nothing does.
  const s444_cancel_flag *cancel;
} s444_scramble_options;

// A scramble.
typedef struct {
  // The number of turns in outer block turns. Rotations of the whole cube do not count.
  int32_t moves;
  // 1 if the limit of time cut the search short, otherwise 0.
  int32_t hurried;
  // The turns in WCA notation.
  char scramble[S444_TURNS_SIZE];
  // The scrambled state: 96 facelets, faces in the order U R F D L B, each row by row.
  char state[S444_STATE_SIZE];
} s444_scramble_result;

// Options of a solution. Members that are zero have their defaults.
typedef struct {
  // The size of this structure, which later versions may extend.
  size_t size;
  // From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
  int32_t effort;
  // The limit of time, as for a scramble; 0 is none.
  int32_t milliseconds;
  // Cancels the search; NULL if nothing does.
  const s444_cancel_flag *cancel;
} s444_solve_options;

// A solution.
typedef struct {
  // The number of turns in outer block turns.
  int32_t moves;
  // 1 if the limit of time cut the search short, otherwise 0.
  int32_t hurried;
  // The turns in WCA notation.
  char solution[S444_TURNS_SIZE];
  // The position: 96 facelets, faces in the order U R F D L B, each row by row.
  char state[S444_STATE_SIZE];
} s444_solution;

// Facts about a position. They are 1 if true, and 0 if not.
typedef struct {
  // The number of turns in outer block turns; -1 if the position was given by facelets.
  int32_t moves;
  // Whether the turns conform to WCA regulation 12a; -1 if the position was given by facelets.
  int32_t wca_notation;
  // Whether every face has one color.
  int32_t solved;
  // Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
  int32_t far_enough;
  // 96 facelets, faces in the order U R F D L B, each row by row.
  char state[S444_STATE_SIZE];
} s444_verdict;

// A picture.
typedef struct {
  // The number of bytes, without the zero byte that follows them.
  size_t size;
  // The SVG text, or the bytes of the PNG file.
  char bytes[S444_PICTURE_SIZE];
} s444_picture_result;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.5.0".
const char *s444_version(void);

// Makes a flag for s444_cancel. s444_cancel_flag_free frees it.
s444_cancel_flag *s444_cancel_flag_new(void);

// Sets a flag: functions that have it soon return S444_CANCELLED, also if they are called later: searches within
// milliseconds, s444_open within about a second, but it finishes writing a table to its file. NULL is ignored.
//
// Signal handlers may call this. It cannot be undone: other work needs another flag.
void s444_cancel(s444_cancel_flag *cancel);

// Frees a flag. NULL is ignored.
void s444_cancel_flag_free(s444_cancel_flag *cancel);

// Opens a scrambler. If `options` is NULL, they have their defaults. If there is an error, `*scrambler` is set to NULL.
int32_t s444_open(const s444_open_options *options, s444_scrambler **scrambler, s444_error *error);

// Makes a scramble to a random state, or to that of the options. If `options` is NULL, they have their defaults.
int32_t s444_scramble(const s444_scrambler *scrambler,
                      const s444_scramble_options *options,
                      s444_scramble_result *scramble,
                      s444_error *error);

// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
// If `options` is NULL, they have their defaults.
int32_t s444_solve(const s444_scrambler *scrambler,
                   const char *scramble,
                   const char *state,
                   const s444_solve_options *options,
                   s444_solution *solution,
                   s444_error *error);

// Examines the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
// A scramble followed by its solution is solved.
int32_t s444_verify(const char *scramble,
                    const char *state,
                    s444_verdict *verdict,
                    s444_error *error);

// Draws the net of the position that the turns `scramble` lead to, or of the one with the 96 facelets `state`; the other
// one is NULL.
//
// `format` is "svg" or "png"; NULL is "svg". `scheme` is the colors of the faces B, D, F, L, R and U, such as
// "00f,ff0,0f0,f80,f00,fff"; NULL is these, with white on top and green in front. `scale` of a PNG is from 1, which has
// 170 by 128 pixels, to 8; 0 is 1.
int32_t s444_picture(const char *scramble,
                     const char *state,
                     const char *format,
                     const char *scheme,
                     int32_t scale,
                     s444_picture_result *picture,
                     s444_error *error);

// Frees a scrambler. NULL is ignored.
void s444_close(s444_scrambler *scrambler);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SCRAMBLE444_H */
