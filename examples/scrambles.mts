// Prints scrambles of a service: scrambles.mts SERVICE COUNT

type Scrambles = { scrambles: { scramble: string; hurried?: boolean }[] };

/** The JSON at `url`. For `seconds`, tries again if the service is starting, busy or unreachable. */
async function get(url: string, seconds: number): Promise<unknown> {
  const start = Date.now(), end = start + 1000 * seconds;
  for (let pause = 1; ; pause = Math.min(2 * pause, 8)) {
    let again = true, wait = pause, detail: string;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(35_000) });
      if (response.ok) return await response.json();
      again = [429, 502, 503].includes(response.status);
      wait = Math.max(pause, Number(response.headers.get("Retry-After")) || 0);
      const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
      detail = isProblem ? (await response.json()).detail : `status ${response.status}`;
    } catch (error) {
      detail = String((error as Error).cause ?? error);
      again = Date.now() + 1000 * wait < start + 60_000;
    }
    console.error(detail);
    if (!again || Date.now() + 1000 * wait > end) process.exit(1);
    await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
  }
}

const [service, count] = [process.argv[2].replace(/\/+$/, ""), process.argv[3]];
if (!/^https?:\/\//.test(service)) throw new Error("SERVICE is a URL, such as http://127.0.0.1:4444");
await get(`${service}/readyz`, 600);
const { scrambles } = (await get(`${service}/v1/scrambles?count=${count}`, 60)) as Scrambles;
console.log(scrambles.map((it) => it.scramble).join("\n"));
if (scrambles.some((it) => it.hurried)) console.error("some scrambles are longer, as the service is busy");
