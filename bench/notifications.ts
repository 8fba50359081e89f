import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Client } from "pg";
import { BackingServers } from "../test/support/backing-servers.ts";
import { BenchDatabase } from "./support/bench-database.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { percentile } from "./support/percentile.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

const OPTIONS = { sessions: { fallback: 100, max: 100_000 }, rounds: { fallback: 20, max: 1_000 } };
const ANALYSIS = "the disk is full ".repeat(250);
const KINDS = ["session.ended", "approval.requested"];

/** Who is told of a session's end. */
const PLANS: Readonly<Record<string, string | null>> = {
  nobody: null,
  "one destination": JSON.stringify({ slack: KINDS }),
  "three destinations": JSON.stringify({ slack: KINDS, "webhook:a": KINDS, "webhook:b": KINDS }),
};

/** What one plan has cost so far. */
class Taken {
  /** Milliseconds of each end, by round. */
  readonly times: (readonly number[])[] = [];
  walBytes = 0;
}

interface Figures {
  readonly told: string;
  readonly end_p50_ms: number;
  readonly end_p95_ms: number;
  readonly wal_kb_per_end: number;
  /** The median over the rounds of the ratio between the medians with and without a destination, of one round each. */
  readonly ratio: number;
}

const INSERT = `
WITH session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, chain_id, resolved_config, config_hash, notify, status, started_at)
  SELECT id, 'x', 'test', 'test', 'bench', 'chain', '{}', 'h', $2::jsonb, 'in_progress', now() FROM unnest($1::uuid[]) AS id
  RETURNING session_id
)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session`;

/** The rows that the last step of a session writes. */
const END = `
WITH fence AS (
  UPDATE session_runtime SET last_seq = last_seq + 3 WHERE session_id = $1 RETURNING session_id, last_seq
), ended AS (
  UPDATE alert_sessions s SET status = 'completed', completed_at = now(), final_analysis = $2
  FROM fence WHERE s.session_id = fence.session_id
)
INSERT INTO events (session_id, seq, payload)
SELECT session_id, last_seq - 3 + n, '{"type": "session.status", "status": "completed"}' FROM fence, generate_series(1, 3) AS n`;

/** What it costs the last step of a session that others are told of its end. */
export const notifications: Benchmark = {
  summary: "what the rows of the outbox add to the last step of a session",
  usage: `usage: npm run bench -- notifications [options]

  --sessions N   sessions that end in each round for each plan, 1 to 100000 (100)
  --rounds N     interleaved rounds, 1 to 1000 (20)
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const figures = await measure(number("sessions"), number("rounds"), context);
    context.print(render(figures));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  },
};

async function measure(
  sessions: number,
  rounds: number,
  { signal, progress }: BenchmarkContext,
): Promise<Figures[]> {
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await BackingServers.start({ durable: true }));
  await servers.migrate();
  const db = resources.use(await BenchDatabase.open(servers.postgres.url));
  const client = new Client({ connectionString: servers.postgres.url });
  await client.connect();
  resources.defer(async () => client.end());
  const taken = new Map(Object.keys(PLANS).map((told) => [told, new Taken()]));
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const [told, plan] of Object.entries(PLANS)) {
      signal.throwIfAborted();
      const ids = Array.from({ length: sessions }, () => randomUUID());
      await client.query(INSERT, [ids, plan]);
      const before = await db.counters();
      const times = [];
      for (const id of ids) {
        const startedAt = performance.now();
        await client.query({ name: "end", text: END, values: [id, ANALYSIS] });
        times.push(performance.now() - startedAt);
      }
      const { walBytes } = await db.counters();
      const so = taken.get(told);
      if (round === 0 || so === undefined) continue;
      so.times.push(times);
      so.walBytes += walBytes - before.walBytes;
    }
  }
  const usual = (taken.get("nobody")?.times ?? []).map((times) => percentile(times, 0.5));
  return [...taken].map(([told, { times, walBytes }]) => ({
    told,
    end_p50_ms: percentile(times.flat(), 0.5),
    end_p95_ms: percentile(times.flat(), 0.95),
    wal_kb_per_end: walBytes / 1_000 / (sessions * rounds),
    ratio: percentile(
      times.map((ofRound, index) => percentile(ofRound, 0.5) / (usual[index] ?? Number.NaN)),
      0.5,
    ),
  }));
}

function render(figures: readonly Figures[]): string {
  const rows = figures.map(({ told, ratio, end_p50_ms, end_p95_ms, wal_kb_per_end }) => [
    told,
    end_p50_ms,
    end_p95_ms,
    ratio,
    wal_kb_per_end,
  ]);
  const head = ["told", "end p50 ms", "p95 ms", "p50 to nobody's", "WAL kB"];
  return `${formatTable([head, ...rows])}\n`;
}
