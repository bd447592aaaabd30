// The interface for users: sends requests to a worker, and settles their promises by its answers.

const TYPES = { onProgress: "function", worker: "function", padded: "boolean" };

/** Starts a worker by `start`, and waits for its tables. Returns what sends requests to it, and what ends it. */
export async function open(options, start) {
  expectOnly(options, ["onProgress", "signal", "worker"]);
  const { onProgress, signal } = options;
  if (signal !== undefined && !signal?.addEventListener) throw new TypeError("signal must be an AbortSignal");
  if (signal?.aborted) throw signal.reason;
  /** The `resolve` and `reject` of each request that has no answer yet, by its number. */
  const waiting = new Map();
  let last = 0;
  /** The reason of the end, which may be any value. */
  let ended;

  function end(reason) {
    ended ??= { reason };
    worker.terminate();
    signal?.removeEventListener("abort", abort);
    for (const { reject } of waiting.values()) reject(ended.reason);
    waiting.clear();
  }

  function abort() {
    end(signal.reason);
  }

  function receive({ progress, number, answer, error, fatal }) {
    try {
      if (progress !== undefined && !ended) onProgress?.(progress);
    } catch (thrown) {
      end(thrown);
    }
    if (fatal) end(error);
    const request = waiting.get(number);
    if (!request) return;
    waiting.delete(number);
    // An idle worker does not keep a Node.js process running.
    if (waiting.size === 0) worker.unref?.();
    if (error) request.reject(error);
    else request.resolve(answer);
  }

  function request(method, parameters) {
    if (ended) return Promise.reject(ended.reason);
    return new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.ref?.();
      worker.postMessage({ number: last, method, parameters });
    });
  }

  const worker = start(receive, end);
  signal?.addEventListener("abort", abort);
  try {
    await request("start");
  } catch (error) {
    end(error);
    throw error;
  }
  return { request, end };
}

/** Opens a worker. Returns the interface to it. */
export async function connect(options = {}, start) {
  const { request, end } = await open(options, start);
  const requester = (method, names) => async (options = {}) => {
    expectOnly(options, names);
    const values = names.map((name) => options[name]);
    if (names.includes("state") && (options.scramble === undefined) === (options.state === undefined)) {
      throw new TypeError("give either scramble or state");
    }
    return request(method, values.map((value) => (value === undefined ? value : String(value))));
  };
  return {
    scramble: requester("scramble", ["event", "subset", "padded", "effort"]),
    solve: requester("solve", ["scramble", "state", "effort"]),
    picture: requester("picture", ["scramble", "state", "format", "scheme", "scale"]),
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

function expectOnly(options, names) {
  if (Object(options) !== options) throw new TypeError(`options must be an object with ${names.join(", ")}`);
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw new TypeError(`unknown option ${name}: use ${names.join(", ")}`);
    const type = TYPES[name] ?? typeof value;
    if (value !== undefined && typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
  }
}
