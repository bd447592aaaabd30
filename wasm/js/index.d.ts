/// <reference lib="esnext.disposable" />

/** Starts a worker, which makes its tables in about two seconds, or finds them in the storage of the browser. */
export function createScrambler(options?: CreateOptions): Promise<Scrambler>;

/** A scramble in WCA notation, by a scrambler that is created at the first call and kept. */
export function randomScrambleForEvent(event: Event): Promise<string>;

export interface CreateOptions {
  /** Is called while tables are made, with the part of the time that has passed, from 0 to 1. What it throws ends the
   * worker. */
  onProgress?: ((done: number) => void) | undefined;
  /** Ends the worker, also while it makes its tables. Promises that are not settled are rejected with its reason. */
  signal?: AbortSignal | undefined;
  /** Starts the worker: the module `scramble444/worker`, or one that imports it statically. By default the package's own
   * file. */
  worker?: (() => ScrambleWorker) | undefined;
}

/** A `Worker` of a browser or of Node.js. */
export interface ScrambleWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** A worker that makes scrambles and solutions, one after the other.
 *
 * Promises are rejected with a `RangeError` for values that are not allowed, whose message says what is, and with a
 * `TypeError` for unknown or missing options and wrong types. */
export interface Scrambler extends Disposable {
  /** A scramble to a random state, or to `state`. */
  scramble(options?: ScrambleOptions): Promise<Scramble>;
  /** A solution of a position. */
  solve(options: SolveOptions): Promise<Solution>;
  /** The net of a position: SVG as a text, which can be embedded in HTML, or PNG as the bytes of a file. */
  picture(options: Position & { format?: "svg" | undefined; scheme?: Scheme | undefined }): Promise<string>;
  picture(options: Position & { format: "png"; scheme?: Scheme | undefined; scale?: Scale | undefined }): Promise<Uint8Array<ArrayBuffer>>;
  picture(options: Position & { format: "svg" | "png"; scheme?: Scheme | undefined }): Promise<string | Uint8Array<ArrayBuffer>>;
  /** Ends the worker. Promises that are not settled are rejected. */
  terminate(): void;
}

/** The WCA event. Scrambles of `444bf` end in a random orientation. */
export type Event = "444" | "444bf";

/**
 * The pieces that are scrambled, for training; the state may be the solved one. `reduced`: corners, and wings in pairs;
 * `last-layer`: corners and paired wings of the U layer; `pll`: these, with their U stickers on top;
 * `last-eight-edges`: corners, and all wings but those of the D layer. Such scrambles have about 70 turns, which do not
 * reveal the subset.
 */
export type Subset = "centers" | "wings" | "reduced" | "last-layer" | "pll" | "last-eight-edges";

/** From 1 (fastest) to 10 (fewest moves); 4 by default. */
export type Effort = number;

/** The colors of the faces B, D, F, L, R and U; `00f,ff0,0f0,f80,f00,fff` by default: white on top, green in front. */
export type Scheme = string;

/** From 1 (170 by 128 pixels), which is the default, to 8. */
export type Scale = number;

export interface SearchOptions {
  effort?: Effort | undefined;
  /** Milliseconds after which the search takes the best that it has. It needs tens of milliseconds more to complete that. */
  timeout?: number | undefined;
  /** Rejects the promise. The scrambler and its tables stay. */
  signal?: AbortSignal | undefined;
}

/** One of `event: "444bf"`, `subset` and `padded` at most. */
export interface ScrambleOptions extends SearchOptions {
  /** `444` by default. */
  event?: Event | undefined;
  /** By default all states at least two turns from solved. A state of a subset may be the solved one. */
  subset?: Subset | undefined;
  /** Whether the scramble begins and ends with R' U' F, as in the fewest moves event. */
  padded?: boolean | undefined;
  /** 96 facelets, as in `Position`. Not with `subset` and `padded`. For `444` the scramble leads to it or a rotation of
   * it. The same state and effort give the same scramble in this version, unless it is `hurried`: pass the state of a
   * scramble on to have it elsewhere. */
  state?: string | undefined;
}

/** A position is given by turns or by facelets. */
export type Position =
  | {
      /** The turns that lead to the position, in WCA notation. */
      scramble: string;
      state?: undefined;
    }
  | {
      /**
       * 96 facelets, faces in the order U R F D L B, each row by row, in face letters (`URFDLB`) or color letters
       * (`WRGYOB`).
       */
      state: string;
      scramble?: undefined;
    };

export type SolveOptions = Position & SearchOptions;

export interface Scramble {
  /** The turns in WCA notation. */
  scramble: string;
  /** The number of turns. Rotations of the whole cube do not count. */
  moves: number;
  /** The state that the scramble leads to: 96 facelets, faces in the order U R F D L B, each row by row. */
  state: string;
  /** Whether `timeout` cut the search short. */
  hurried: boolean;
}

export interface Solution {
  /** The turns in WCA notation. */
  solution: string;
  /** The number of turns. */
  moves: number;
  /** The position: 96 facelets, faces in the order U R F D L B, each row by row. */
  state: string;
  /** Whether `timeout` cut the search short. */
  hurried: boolean;
}
