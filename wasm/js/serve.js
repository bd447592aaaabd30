// Answers the requests of client.js in a worker.

import init, { Engine, picture } from "./engine.js";

/** The part of the time that has passed when a part of the tables is made. Before come coordinates, after them bounds of
 * stages. Measured in Node.js. */
const TIMES = [[0, 0.35], [0.13, 0.43], [0.79, 0.66], [1, 0.82]];

function timeOf(made) {
  const index = Math.max(1, TIMES.findIndex(([part]) => part >= made));
  const [[from, start], [to, end]] = TIMES.slice(index - 1);
  return start + ((made - from) / (to - from)) * (end - start);
}

/** A limit of time that no search reaches, in milliseconds. */
const ENDLESS = 1e10;

/** Returns a listener that answers requests with `post`. `binary` is the WebAssembly module; by default it is fetched.
 * `storage` keeps the tables for the next worker. */
export function serve(post, { binary, storage } = {}) {
  let engine;
  globalThis.scramble444Progress = (made) => post({ progress: timeOf(made) });

  /** Has searches end when memory that is shared with client.js says so. They look at the clock, which leaps then each
   * time, so also after a search has begun while it leaped. */
  function stopBy(stopped) {
    const now = performance.now.bind(performance);
    let leap = 0;
    performance.now = () => {
      leap = Atomics.load(stopped, 0) ? leap + 2 * ENDLESS : 0;
      return now() + leap;
    };
  }

  const methods = {
    async start(stopped) {
      if (stopped) stopBy(stopped);
      const [kept] = await Promise.all([storage?.read(), init({ module_or_path: binary })]);
      try {
        engine = kept && new Engine(kept);
      } catch {
        // They are damaged or of another version, and are replaced.
      }
      if (engine) return;
      post({ progress: 0 });
      engine = new Engine();
      post({ progress: 1 });
      // Not awaited: requests can be answered meanwhile.
      storage?.write(engine.tables());
    },
    scramble(event, subset, padded, state, effort, timeout = ENDLESS) {
      const found = engine.scramble(event, subset, padded === "true", state, effort, Math.min(Number(timeout), ENDLESS));
      return { scramble: found.turns, moves: found.moves, state: found.state, hurried: found.hurried };
    },
    solve(scramble, facelets, effort, timeout = ENDLESS) {
      const { turns, moves, state, hurried } = engine.solve(scramble, facelets, effort, Math.min(Number(timeout), ENDLESS));
      return { solution: turns, moves, state, hurried };
    },
    picture,
  };

  return async ({ number, method, parameters = [] }) => {
    try {
      // The engine of the page has methods of its own.
      const answer = await (methods[method] ?? engine[method].bind(engine))(...parameters);
      post({ number, answer });
    } catch (error) {
      // After a trap the engine's memory may be in any state.
      post({ number, error, fatal: error instanceof WebAssembly.RuntimeError });
    }
  };
}
