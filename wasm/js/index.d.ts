/** Starts a worker, which makes its tables in about two seconds, or finds them in the storage of the browser. */
export function createScrambler(options?: CreateOptions): Promise<Scrambler>;

/** A scramble in WCA notation, by a scrambler that is created at the first call and kept. */
export function randomScrambleForEvent(event: "444" | "444bf"): Promise<string>;

export interface CreateOptions {
  /** Is called while tables are made, with the part that is done, from 0 to 1. */
  onProgress?: (done: number) => void;
  /** Starts the worker: the module `scramble444/worker`, or one that imports it. By default the package's own file. */
  worker?: () => ScrambleWorker;
}

/** A `Worker` of a browser or of Node.js. */
export interface ScrambleWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** A worker that makes scrambles and solutions, one after the other. */
export interface Scrambler {
  /** A scramble to a random state. */
  scramble(options?: ScrambleOptions): Promise<Scramble>;
  /** A solution of a position. */
  solve(options: SolveOptions): Promise<Solution>;
  /** Ends the worker. Promises that are not settled are rejected. */
  terminate(): void;
}

/** From 1 (fastest) to 10 (fewest moves); 4 by default. */
export type Effort = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

export interface ScrambleOptions {
  /** The WCA event; `444` by default. Scrambles of `444bf` end in a random orientation. */
  event?: "444" | "444bf";
  effort?: Effort;
}

/** A position is given by turns or by facelets. */
export type SolveOptions = { effort?: Effort } & (
  | {
      /** The turns that lead to the position, in WCA notation. */
      scramble: string;
      state?: undefined;
    }
  | {
      /** 96 facelets, faces in the order U R F D L B, in face letters (`URFDLB`) or colour letters (`WRGYOB`). */
      state: string;
      scramble?: undefined;
    }
);

export interface Scramble {
  /** The turns in WCA notation. */
  scramble: string;
  /** The number of turns. Rotations of the whole cube do not count. */
  moves: number;
  /** The state that the scramble leads to: 96 facelets, faces in the order U R F D L B. */
  state: string;
}

export interface Solution {
  /** The turns in WCA notation. */
  solution: string;
  /** The number of turns. */
  moves: number;
  /** The position: 96 facelets, faces in the order U R F D L B. */
  state: string;
}
