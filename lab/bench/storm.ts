import { writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { NotifierFixture } from "../../services/notifier/test/notifier-fixture.ts";
import type { TestSession } from "../../services/notifier/test/test-session.ts";
import { startNotifierProcess, startRelay, type WsProcess } from "./fanout/ws-process.ts";
import { renderStorm, type StormFigures, type StormRound } from "./storm/render-storm.ts";
import { StormClients } from "./storm/storm-clients.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readUsage } from "./support/process-usage.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

const OPTIONS = {
  clients: { fallback: 2_000, max: 10_000 },
  sessions: { fallback: 20, max: 1_000 },
  events: { fallback: 220, max: 10_000 },
  rounds: { fallback: 5, max: 100 },
};
const CONTENT = "The container is killed for memory: its limit is lower than what it needs to start. ".repeat(
  5,
);
const LIVE_INTERVAL_MS = 1_000;

interface StormSize {
  readonly clients: number;
  readonly sessions: number;
  /** Stored before the storm, in each session. */
  readonly events: number;
}

/** Clients that return to their sessions at once, compared with the mere writing of what they receive. */
export const storm: Benchmark = {
  summary: "all clients return at once: ratio to writing the same bytes to sockets that read",
  usage: `usage: npm run bench -- storm [options]

  --clients N    1 to 10000 (2000); each needs two file descriptors
  --sessions N   sessions that they follow, 1 to 1000 (20); each gets one event per second meanwhile
  --events N     events stored in each session, 1 to 10000 (220)
  --rounds N     interleaved rounds of each, 1 to 100 (5), after one to warm up
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const size = { clients: number("clients"), sessions: number("sessions"), events: number("events") };
    const rounds = await measure(size, number("rounds"), context);
    context.print(renderStorm(size, rounds));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ size, rounds }, null, 2)}\n`);
  },
};

async function measure(size: StormSize, rounds: number, context: BenchmarkContext): Promise<StormRound[]> {
  const { progress, signal } = context;
  progress("starting Postgres, NATS, the notifier and the server to compare with");
  await using resources = new AsyncDisposableStack();
  const fixture = resources.use(await NotifierFixture.start({ ownServers: true }));
  const sessions = [];
  for (let n = 0; n < size.sessions; n += 1) {
    const session = await fixture.newSession();
    await session.commit(...Array.from({ length: size.events }, () => session.whole(CONTENT)));
    sessions.push(session);
  }
  const plainTask = {
    databaseUrl: fixture.servers.postgres.url,
    sessionIds: sessions.map(({ id }) => id),
  };
  const plain = resources.use(await startRelay("../storm/plain-frames-server.ts", JSON.stringify(plainTask)));
  const notifier = resources.use(await startNotifierProcess(fixture.servers));
  const measured: StormRound[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    const pair = {
      plain: await measurePlain(plain, size, signal),
      storm: await measureStorm(notifier, sessions, size, signal),
    };
    if (round > 0) measured.push(pair);
  }
  return measured;
}

/** Connects the clients first and then measures the writing alone. */
async function measurePlain(
  plain: WsProcess,
  { clients: count, events }: StormSize,
  signal: AbortSignal,
): Promise<StormFigures> {
  await using clients = await StormClients.start({
    port: plain.port,
    clients: count,
    channels: [],
    through: events,
  });
  const { open, whole } = clients.go(signal);
  await open;
  return await figures(plain, clients, whole, () => plain.send("go"));
}

/** Measures from the first connection to the last client's last event, while events are added to every session. */
async function measureStorm(
  notifier: WsProcess,
  sessions: readonly TestSession[],
  { clients: count, events }: StormSize,
  signal: AbortSignal,
): Promise<StormFigures> {
  await using clients = await StormClients.start({
    port: notifier.port,
    clients: count,
    channels: sessions.map(({ id }) => `session:${id}`),
    through: events,
  });
  const writing = keepWriting(sessions);
  try {
    const whole = Promise.withResolvers<void>();
    const start = () => void clients.go(signal).whole.then(whole.resolve, whole.reject);
    return await figures(notifier, clients, whole.promise, start);
  } finally {
    await writing.stop();
  }
}

async function figures(
  server: WsProcess,
  clients: StormClients,
  whole: Promise<void>,
  start: () => void,
): Promise<StormFigures> {
  const before = await readUsage([server.pid]);
  const startedAt = Number(process.hrtime.bigint());
  start();
  await whole;
  const after = await readUsage([server.pid]);
  const { whole_at_ns, bytes, events, misplaced, lost } = await clients.report();
  if (misplaced > 0 || lost > 0) {
    throw new Error(`${misplaced} events came out of order and ${lost} connections were lost`);
  }
  return {
    whole_ms: (whole_at_ns - startedAt) / 1e6,
    server_cpu_ms: (after.cpuSeconds - before.cpuSeconds) * 1_000,
    server_rss_peak_mb: after.rssPeakMb,
    received_mb: bytes / 1e6,
    events,
  };
}

/** Adds an event to each session once a second. */
function keepWriting(sessions: readonly TestSession[]): { readonly stop: () => Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const write = async () => {
    while (!signal.aborted) {
      for (const session of sessions) await session.write(session.whole(CONTENT));
      await wait(LIVE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const written = write();
  written.catch(() => undefined); // `stop` throws it
  return {
    stop: async () => {
      stopped.abort();
      await written;
    },
  };
}
