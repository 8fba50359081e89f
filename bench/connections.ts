import { writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { NotifierFixture } from "../services/notifier/test/notifier-fixture.ts";
import { stamp } from "./fanout/pace.ts";
import { Watchers } from "./fanout/watchers.ts";
import { startNotifierProcess, startRelay, type WsProcess } from "./fanout/ws-process.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { readUsage } from "./support/process-usage.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

const OPTIONS = { connections: { fallback: 10_000, max: 20_000 }, rounds: { fallback: 3, max: 20 } };
const SETTLE_MS = 2_000;
const MESSAGE = "x".repeat(1_000);

interface ConnectionFigures {
  readonly server: string;
  readonly connect_ms: number;
  readonly rss_before_mb: number;
  readonly rss_connected_mb: number;
  readonly kb_per_connection: number;
  /** Without any messages, in percent of one core. */
  readonly idle_cpu_percent: number;
  /** From sending one message of about 1 KB to all until the last has received it. */
  readonly to_all_ms: number;
}

/** The cost of many idle connections. */
export const connections: Benchmark = {
  summary: "10,000 idle connections: time to connect, memory, one message to all",
  usage: `usage: npm run bench -- connections [options]

  --connections N   1 to 20000 (10000); the notifier accepts at most 10,000, and each needs two file descriptors
  --rounds N        interleaved rounds of each server, 1 to 20 (3)
  --json FILE       also writes the figures to FILE as JSON; the names end in the unit
  --help            prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const rows = await measure({ connections: number("connections"), rounds: number("rounds") }, context);
    context.print(render(number("connections"), rows));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
  },
};

async function measure(
  { connections: count, rounds }: { connections: number; rounds: number },
  { progress, signal }: BenchmarkContext,
): Promise<ConnectionFigures[]> {
  await using fixture = await NotifierFixture.start({ ownServers: true });
  const rows: ConnectionFigures[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted();
    progress(`round ${round} of ${rounds}: notifier`);
    await using notifier = await startNotifierProcess(fixture.servers);
    const session = await fixture.newSession();
    const sendEvent = async () => {
      await session.emit(session.whole(stamp() + MESSAGE));
    };
    rows.push(await measureOne("notifier", notifier, { count, channel: `session:${session.id}` }, sendEvent));
    progress(`round ${round} of ${rounds}: plain loop`);
    await using plain = await startRelay("plain-ws-server.ts");
    const sendText = () => {
      plain.send(stamp() + MESSAGE);
      return Promise.resolve();
    };
    rows.push(await measureOne("plain loop", plain, { count }, sendText));
  }
  return rows;
}

async function measureOne(
  server: string,
  { pid, port }: WsProcess,
  { count, channel }: { count: number; channel?: string },
  send: () => Promise<void>,
): Promise<ConnectionFigures> {
  const before = await readUsage([pid]);
  const startedAt = performance.now();
  await using watchers = await Watchers.start(port, count, channel);
  const connect_ms = performance.now() - startedAt;
  await wait(SETTLE_MS);
  const idleFrom = await readUsage([pid]);
  await wait(SETTLE_MS);
  const connected = await readUsage([pid]);
  await watchers.take();
  await send();
  await wait(SETTLE_MS);
  const { count: received, max_ms } = await watchers.take();
  if (received !== count) throw new Error(`${received} of ${count} connections received the message`);
  return {
    server,
    connect_ms,
    rss_before_mb: before.rssMb,
    rss_connected_mb: connected.rssMb,
    kb_per_connection: ((connected.rssMb - before.rssMb) * 1_000) / count,
    idle_cpu_percent: ((connected.cpuSeconds - idleFrom.cpuSeconds) / (SETTLE_MS / 1_000)) * 100,
    to_all_ms: max_ms,
  };
}

function render(count: number, rows: readonly ConnectionFigures[]): string {
  const head = ["", "connect ms", "RSS MB before", "connected", "KB each", "idle CPU %", "1 KB to all ms"];
  const lines = rows.map((row) => [
    row.server,
    row.connect_ms,
    row.rss_before_mb,
    row.rss_connected_mb,
    row.kb_per_connection,
    row.idle_cpu_percent,
    row.to_all_ms,
  ]);
  return `\n${count} connections, opened 200 at a time by one process; the notifier's are subscribed to one session.\n
${formatTable([head, ...lines])}\n\nCompare only within one run.\n`;
}
