// The interface for users: sends requests to a worker, and settles their promises by its answers.

/** Starts a worker by `start`, and waits for its tables. Returns what sends requests to it, and what ends it. */
export async function open({ onProgress, ...unknown }, start) {
  expectNone(unknown, "onProgress, worker");
  /** The `resolve` and `reject` of each request that has no answer yet, by its number. */
  const waiting = new Map();
  let last = 0;
  let ended;

  function end(error) {
    ended ??= error;
    worker.terminate();
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }

  function receive({ progress, number, answer, error, fatal }) {
    if (progress !== undefined) onProgress?.(progress);
    if (fatal) end(error);
    const request = waiting.get(number);
    if (!request) return;
    waiting.delete(number);
    // An idle worker does not keep a Node.js process running.
    if (waiting.size === 0) worker.unref?.();
    if (error) request.reject(error);
    else request.resolve(answer);
  }

  function request(method, options) {
    if (ended) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.ref?.();
      worker.postMessage({ number: last, method, options });
    });
  }

  const worker = start(receive, end);
  try {
    await request("start");
  } catch (error) {
    end(error);
    throw error;
  }
  return { request, end };
}

/** Opens a worker. Returns the interface to it. */
export async function connect(options, start) {
  const { request, end } = await open(options, start);
  return {
    async scramble({ event, effort, ...unknown } = {}) {
      expectNone(unknown, "event, effort");
      return request("scramble", { event: text(event), effort: text(effort) });
    },
    async solve({ scramble, state, effort, ...unknown } = {}) {
      expectNone(unknown, "scramble, state, effort");
      if ((scramble === undefined) === (state === undefined)) {
        throw new TypeError("solve needs either scramble or state");
      }
      return request("solve", { scramble: text(scramble), state: text(state), effort: text(effort) });
    },
    terminate() {
      end(new Error("the scrambler has been terminated"));
    },
  };
}

/** A function with the shape of cubing.js's `randomScrambleForEvent`. Its scrambler is created by `create` at the first
 * call, and kept. */
export function scramblerForEvents(create) {
  let creating;
  return async (event) => {
    creating ??= create();
    const scrambler = await creating.catch((error) => {
      creating = undefined;
      throw error;
    });
    return (await scrambler.scramble({ event })).scramble;
  };
}

function expectNone(unknown, known) {
  for (const name of Object.keys(unknown)) throw new TypeError(`unknown option ${name}: use ${known}`);
}

function text(value) {
  return value === undefined ? undefined : String(value);
}
