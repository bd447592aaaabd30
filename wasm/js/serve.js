// Answers the requests of client.js in a worker.

import init, { Engine, picture } from "./engine.js";

/** Returns a listener that answers requests with `post`. `binary` is the WebAssembly module; by default it is fetched.
 * `storage` keeps the tables for the next worker. */
export function serve(post, { binary, storage } = {}) {
  let engine;
  globalThis.scramble444Progress = (progress) => post({ progress });

  const methods = {
    async start() {
      const [kept] = await Promise.all([storage?.read(), init({ module_or_path: binary })]);
      try {
        engine = kept && new Engine(kept);
      } catch {
        // They are damaged or of another version, and are replaced.
      }
      if (engine) return;
      engine = new Engine();
      // Not awaited: requests can be answered meanwhile.
      storage?.write(engine.tables());
    },
    scramble(event, subset, padded, effort) {
      const { turns, moves, state } = engine.scramble(event, subset, padded === "true", effort);
      return { scramble: turns, moves, state };
    },
    solve(scramble, facelets, effort) {
      const { turns, moves, state } = engine.solve(scramble, facelets, effort);
      return { solution: turns, moves, state };
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
