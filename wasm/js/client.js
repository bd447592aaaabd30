// The interface for users: sends requests to a worker, one after the other, and settles their promises by its answers.

/** What a bundle without the worker's file says. */
export const UNLOADED = "the worker of scramble444 cannot be loaded; its README says how to start it with a bundler";

/** The types of options that are no strings. */
const TYPES = {
  effort: "number",
  onProgress: "function",
  padded: "boolean",
  scale: "number",
  signal: "object",
  timeout: "number",
  worker: "function",
};

/** The maximum length of a text. */
const MAX_TEXT = 100_000;

/** Starts a worker by `start`, and waits for its tables. Returns what sends requests to it, and what ends it. */
export async function open(options, start) {
  expectOnly(options, ["onProgress", "signal", "worker"]);
  const { onProgress, signal } = options;
  signal?.throwIfAborted();
  /** The requests that have no answer. The worker has the first. */
  const queue = [];
  let last = 0;
  /** The reason of the end, which may be any value. */
  let ended;
  /** Tells the worker to stop searching, where memory can be shared: in Node.js, and in pages that are isolated. */
  const stopped = typeof SharedArrayBuffer === "function" ? new Int32Array(new SharedArrayBuffer(4)) : undefined;

  function end(reason) {
    ended ??= { reason };
    worker.terminate();
    signal?.removeEventListener("abort", abort);
    for (const { reject } of queue.splice(0)) reject(ended.reason);
  }

  function abort() {
    end(signal.reason);
  }

  function sendNext() {
    // An idle worker does not keep a Node.js process running.
    if (queue.length === 0) return worker.unref?.();
    if (stopped) Atomics.store(stopped, 0, 0);
    worker.ref?.();
    worker.postMessage(queue[0].message);
  }

  function receive({ progress, number, answer, error, fatal }) {
    try {
      if (progress !== undefined && !ended) onProgress?.(progress);
    } catch (thrown) {
      end(thrown);
    }
    if (fatal) end(error);
    if (number === undefined || number !== queue[0]?.message.number) return;
    queue.shift().resolve({ answer, error });
    sendNext();
  }

  async function request(method, parameters, signal) {
    signal?.throwIfAborted();
    if (ended) throw ended.reason;
    let cancel;
    const answered = new Promise((resolve, reject) => {
      const entry = { message: { number: ++last, method, parameters }, resolve, reject };
      cancel = () => {
        reject(signal.reason);
        const place = queue.indexOf(entry);
        if (place > 0) queue.splice(place, 1);
        else if (stopped) Atomics.store(stopped, 0, 1);
      };
      signal?.addEventListener("abort", cancel);
      if (queue.push(entry) === 1) sendNext();
    });
    try {
      const { answer, error } = await answered;
      // Made here, so that the stack has the caller instead of the worker.
      if (error) throw new (error.name === "RangeError" ? RangeError : Error)(error.message);
      return answer;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  const worker = start(receive, end);
  signal?.addEventListener("abort", abort);
  try {
    await request("start", [stopped]);
  } catch (error) {
    end(error);
    throw error;
  }
  return { request, end };
}

/** Opens a worker. Returns the interface to it. */
export async function connect(options = {}, start) {
  const { request, end } = await open(options, start);
  const requester = (method, names, others = []) => async (options = {}) => {
    expectOnly(options, [...names, ...others]);
    const values = names.map((name) => options[name]);
    if (names.includes("scramble") && (options.scramble === undefined) === (options.state === undefined)) {
      throw new TypeError("give either scramble or state");
    }
    const parameters = values.map((value) => (value === undefined ? value : String(value)));
    return await request(method, parameters, options.signal);
  };
  const terminate = () => end(new Error("the scrambler has been terminated"));
  return {
    scramble: requester("scramble", ["event", "subset", "padded", "state", "effort", "timeout"], ["signal"]),
    solve: requester("solve", ["scramble", "state", "effort", "timeout"], ["signal"]),
    picture: requester("picture", ["scramble", "state", "format", "scheme", "scale"]),
    terminate,
    ...(Symbol.dispose && { [Symbol.dispose]: terminate }),
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
  // Not an array, a function or another thing that has no options.
  if (Object.prototype.toString.call(options) !== "[object Object]") {
    throw new TypeError(`options must be an object with ${names.join(", ")}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw new TypeError(`unknown option ${name}: use ${names.join(", ")}`);
    if (value === undefined) continue;
    if (name === "signal" && !value?.addEventListener) throw new TypeError("signal must be an AbortSignal");
    const type = TYPES[name] ?? "string";
    if (typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
    // Longer ones might not fit into the memory of the worker.
    if (value.length > MAX_TEXT) throw new RangeError(`${name} has ${value.length} characters; at most ${MAX_TEXT} are allowed`);
  }
}
