// WCA-style random-state scrambles for the 4x4x4 cube.
//
// Functions return S444_OK or the code of an error. They write a result only if there is no error, and the message in any
// case. `error` may be NULL.
//
// All texts are UTF-8 that ends with a zero byte. The library keeps no pointer that it is given. The caller owns all
// memory except scramblers, which s444_open makes and s444_close frees. Threads may call all functions at the same time,
// also with the same scrambler. Only s444_close must be the last to use one. There is no global state.

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

// The size of the message of an error, with the zero byte.
#define S444_MESSAGE_SIZE 1024

// The size of the turns of an answer, with the zero byte.
#define S444_TURNS_SIZE 512

// The size of facelets, with the zero byte.
#define S444_STATE_SIZE 97

// Makes scrambles and solutions.
typedef struct s444_scrambler s444_scrambler;

// What is wrong.
typedef struct {
  // A message in English; empty if there is no error. What does not fit is cut off.
  char message[S444_MESSAGE_SIZE];
} s444_error;

// A scramble or a solution.
typedef struct {
  // The number of turns in outer block turns. Rotations of the whole cube do not count.
  int32_t moves;
  // The turns in WCA notation.
  char turns[S444_TURNS_SIZE];
  // The scrambled state: 96 facelets, faces in the order U R F D L B.
  char state[S444_STATE_SIZE];
} s444_answer;

// Facts about a position. They are 1 if true, and 0 if not.
typedef struct {
  // The number of turns in outer block turns; -1 if the position was given by facelets.
  int32_t moves;
  // Whether the turns conform to WCA regulation 12a; -1 if the position was given by facelets.
  int32_t wca_notation;
  // Whether every face has one colour.
  int32_t solved;
  // Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
  int32_t far_enough;
  // 96 facelets, faces in the order U R F D L B.
  char state[S444_STATE_SIZE];
} s444_verdict;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.3.0".
const char *s444_version(void);

// Opens the tables in `directory`, and builds those that are missing there. If it is NULL, small tables are made in
// memory, which takes one or two seconds.
//
// `method` is "reduction" or "five-stage"; NULL is "reduction". `profile` is "pocket", "compact" or "full"; NULL is
// "pocket" without a directory, otherwise "full" if all its files exist, otherwise "compact".
//
// # Safety
//
// Texts must end with a zero byte.
int32_t s444_open(const char *directory,
                  const char *method,
                  const char *profile,
                  s444_scrambler **scrambler,
                  s444_error *error);

// Makes a scramble to a state drawn uniformly from all states at least two turns from solved.
//
// `event` is "444" or "444bf", whose scrambles end in a random orientation; NULL is "444". `effort` is from 1 (fastest) to
// 10 (fewest moves); 0 is the default, 4.
//
// # Safety
//
// Texts must end with a zero byte. The scrambler must be open.
int32_t s444_scramble(const s444_scrambler *scrambler,
                      const char *event,
                      int32_t effort,
                      s444_answer *answer,
                      s444_error *error);

// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
// For `effort` see s444_scramble.
//
// # Safety
//
// Texts must end with a zero byte. The scrambler must be open.
int32_t s444_solve(const s444_scrambler *scrambler,
                   const char *scramble,
                   const char *state,
                   int32_t effort,
                   s444_answer *answer,
                   s444_error *error);

// Examines the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
// A scramble followed by its solution is solved.
//
// # Safety
//
// Texts must end with a zero byte.
int32_t s444_verify(const char *scramble,
                    const char *state,
                    s444_verdict *verdict,
                    s444_error *error);

// Frees a scrambler. NULL is ignored.
//
// # Safety
//
// It must come from s444_open, and must not be used any more.
void s444_close(s444_scrambler *scrambler);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SCRAMBLE444_H */
