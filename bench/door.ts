import { parseArgs } from "node:util";
import { readAccessConfig } from "#shared/access/access-config.ts";
import { addApiKey } from "#shared/access/api-keys.ts";
import { Door } from "#shared/access/door.ts";
import type { Database } from "#shared/database/database.ts";
import { openDatabase } from "#shared/database/open-database.ts";
import { errorMessage } from "#shared/errors.ts";
import { pino } from "pino";
import { BackingServers } from "../test/support/backing-servers.ts";
import { UsageError, type Benchmark, type BenchmarkContext } from "./support/benchmark.ts";

const DEFAULT_REQUESTS = 20_000;
const ROUNDS = 5;
const TOKEN = "0123456789abcdef0123456789abcdef";

/** What it costs to find out whether a request gets in and who makes it. */
export const door: Benchmark = {
  summary: "access: CPU time per request of host, origin and credential checks, by mode",
  usage: `usage: npm run bench -- door [options]

  --requests N   requests per round and mode, 1 to 10000000 (${DEFAULT_REQUESTS}); ${ROUNDS} rounds, interleaved
  --help         prints this
`,
  run: async (args, context) => {
    const requests = parse(args);
    await using servers = await BackingServers.choose({ ownServers: true });
    await servers.migrate();
    await using db = await openDatabase({
      url: servers.postgres.url,
      applicationName: "bench-door",
      poolSize: 2,
      log: pino({ level: "silent" }),
      signal: context.signal,
    });
    context.print(render(await measure(db, requests, context), requests));
  },
};

function parse(args: readonly string[]): number {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { requests: { type: "string", default: String(DEFAULT_REQUESTS) } },
    });
    const requests = Number(values.requests);
    if (Number.isInteger(requests) && requests >= 1 && requests <= 10_000_000) return requests;
    throw new Error(`--requests is "${values.requests}"; it must be a whole number from 1 to 10000000`);
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

/** Microseconds of CPU time per request, by mode, one figure per round. */
async function measure(
  db: Database,
  requests: number,
  { signal, progress }: BenchmarkContext,
): Promise<Map<string, number[]>> {
  const key = await addApiKey(db, { subject: "bench", roles: ["operator"], teams: [], expiresInDays: 1 });
  const modes = [
    { mode: "loopback", settings: {}, headers: {} },
    { mode: "private", settings: { AUTH_TOKEN: TOKEN }, headers: { authorization: `Bearer ${TOKEN}` } },
    { mode: "token", settings: {}, headers: { authorization: `Bearer ${key.text}` } },
  ];
  const figures = new Map<string, number[]>(modes.map(({ mode }) => [mode, []]));
  const doors = await Promise.all(
    modes.map(async ({ mode, settings, headers }) => ({
      mode,
      headers: { host: "localhost:8080", origin: "http://localhost:8080", ...headers },
      open: await Door.open(readAccessConfig({ AUTH_MODE: mode, ...settings }), db),
    })),
  );
  for (let round = 0; round <= ROUNDS; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${ROUNDS}`);
    for (const { mode, headers, open } of doors) {
      signal.throwIfAborted();
      const request = { method: "POST", headers, socket: { remoteAddress: "127.0.0.1" } };
      const before = process.cpuUsage();
      for (let n = 0; n < requests; n += 1) {
        open.checkSite(request);
        await open.identify(request);
      }
      const { user, system } = process.cpuUsage(before);
      if (round > 0) figures.get(mode)?.push((user + system) / requests);
    }
  }
  return figures;
}

function render(figures: ReadonlyMap<string, readonly number[]>, requests: number): string {
  const lines = [...figures].map(([mode, values]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const [median = 0, least = 0, most = 0] = [
      sorted[Math.floor(sorted.length / 2)],
      sorted[0],
      sorted.at(-1),
    ];
    return `  ${mode.padEnd(10)} ${median.toFixed(1)} µs (${least.toFixed(1)} to ${most.toFixed(1)})`;
  });
  return `CPU time of the door per request, ${requests} requests a round, median of ${ROUNDS} rounds\n${lines.join("\n")}\n`;
}
