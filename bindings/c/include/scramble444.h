// WCA-style random-state scrambles for the 4x4x4 cube. Needs C99 or C++11.
//
// Functions return S444_OK or the code of an error. They write a result only if there is no error, and the message in any
// case. `error` may be NULL. If a scrambler or the place for a result is NULL, the code is S444_INVALID.
//
// All texts are UTF-8 that ends with a zero byte. The library keeps no pointer that it is given. The caller owns all
// memory except scramblers and flags, which the library makes and frees. Threads may call all functions at the same time,
// also with the same scrambler or flag, which must not be freed until they have returned. There is no global state.

#ifndef SCRAMBLE444_H
#define SCRAMBLE444_H

#include <stddef.h>
#include <stdint.h>

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

// What is wrong.
typedef struct {
  // A message in English; empty if there is no error. What does not fit is cut off.
  char message[S444_MESSAGE_SIZE];
} s444_error;

// Options of a scramble. Set to zero, they have their defaults.
typedef struct {
  // "444" or "444bf", whose scrambles end in a random orientation; NULL is "444".
  const char *event;
  // "centers", "wings", "reduced" (corners, and wings in pairs), "last-layer" (corners and paired wings of the U layer),
  // "pll" (these, with their U stickers on top) or "last-eight-edges" (corners, and all wings but those of the D layer):
  // only these pieces are scrambled, and the state may be the solved one. NULL is all states at least two turns from
  // solved.
  const char *subset;
  // 1 for a scramble that begins and ends with R' U' F, as in the fewest moves event.
  int32_t padded;
  // From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
  int32_t effort;
  // Cancels the search; NULL if nothing does.
  const s444_cancel_flag *cancel;
} s444_scramble_options;

// A scramble.
typedef struct {
  // The number of turns in outer block turns. Rotations of the whole cube do not count.
  int32_t moves;
  // The turns in WCA notation.
  char scramble[S444_TURNS_SIZE];
  // The scrambled state: 96 facelets, faces in the order U R F D L B, each row by row.
  char state[S444_STATE_SIZE];
} s444_scramble_result;

// A solution.
typedef struct {
  // The number of turns in outer block turns.
  int32_t moves;
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

// The version of the library, such as "0.4.0".
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

// Opens the tables in the directory `tables_dir`, and builds those that are missing there. If it is NULL, small tables
// are made in memory, which takes one or two seconds; the profile "pocket" uses no files. If there is an error,
// `*scrambler` is set to NULL.
//
// `method` is "reduction" or "five-stage"; NULL is "reduction". `profile` is "pocket", "compact" or "full"; NULL is
// "pocket" without `tables_dir`, otherwise "full" if all its files exist, otherwise "compact". `cancel` cancels opening;
// files of tables that are finished stay. It may be NULL.
int32_t s444_open(const char *tables_dir,
                  const char *method,
                  const char *profile,
                  const s444_cancel_flag *cancel,
                  s444_scrambler **scrambler,
                  s444_error *error);

// Makes a scramble to a random state. If `options` is NULL, they have their defaults.
int32_t s444_scramble(const s444_scrambler *scrambler,
                      const s444_scramble_options *options,
                      s444_scramble_result *scramble,
                      s444_error *error);

// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
//
// `effort` is from 1 (fastest) to 10 (fewest moves); 0 is the default, 4. `cancel` cancels the search; it may be NULL.
int32_t s444_solve(const s444_scrambler *scrambler,
                   const char *scramble,
                   const char *state,
                   int32_t effort,
                   const s444_cancel_flag *cancel,
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
