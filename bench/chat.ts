import { writeFile } from "node:fs/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SUMMARY_CALL } from "../test/support/scripts.ts";
import { askQuestion } from "./chat/ask-question.ts";
import { renderChat, type ChatFigures, type ChatRound } from "./chat/render-chat.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { percentile } from "./support/percentile.ts";
import { postAlerts } from "./support/post-alerts.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { startBenchSystem, type BenchSystem } from "./support/start-bench-system.ts";
import { waitForSessions } from "./support/wait-for-sessions.ts";

const OPTIONS = {
  chats: { fallback: 50, max: 500 },
  alerts: { fallback: 500, max: 10_000 },
  rounds: { fallback: 5, max: 20 },
};
/** As configured by default, for alerts and for questions. */
const SLOTS = 5;
const CLIENTS = 16;
/** The model answers questions at once, and takes this long for an alert, so that the others wait. */
const ALERT_DELAY = "250ms";

const FILES = {
  tarsy: {
    queue: { worker_count: SLOTS, max_concurrent_sessions: SLOTS, max_concurrent_followups: SLOTS },
    agent_chains: {
      "test-chain": {
        alert_types: ["test"],
        chat: { iteration_strategy: "native-thinking" },
        stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
      },
      "kubernetes-agent-chain": {
        alert_types: ["kubernetes"],
        stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
      },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      {
        when: { contains: "CURRENT TASK" },
        steps: [{ text: "It is still killed for memory. ".repeat(10), chunk_size: 30 }],
      },
      { steps: [{ delay: ALERT_DELAY }, { text: "The container is killed for memory." }] },
    ],
  },
};

const parseWaiting = compileParser("waiting alerts", Type.Object({ waiting: Type.Integer() }));
const WAITING = "SELECT count(*)::int AS waiting FROM alert_sessions WHERE status = 'pending'";

interface ChatSize {
  readonly chats: number;
  readonly alerts: number;
}

/** Questions about sessions that have ended, while alerts wait and without them. */
export const chat: Benchmark = {
  summary: "time to the first chunk of an answer while alerts wait: ratio to the same without alerts",
  usage: `usage: npm run bench -- chat [options]

  --chats N      sessions that are asked about in a round, ${SLOTS} at a time, 1 to 500 (50)
  --alerts N     alerts that are submitted before, ${SLOTS} of which run at a time, 1 to 10000 (500)
  --rounds N     interleaved rounds of both, 1 to 20 (5), after one to warm up
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const size = { chats: number("chats"), alerts: number("alerts") };
    const rounds = await measure(size, number("rounds"), context);
    context.print(renderChat(size, rounds));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ size, rounds }, null, 2)}\n`);
  },
};

async function measure(size: ChatSize, rounds: number, context: BenchmarkContext): Promise<ChatRound[]> {
  const { progress, signal } = context;
  await using bench = await startBenchSystem(
    { executors: 1, statements: false, cpuProfileDir: undefined },
    context,
    FILES,
  );
  progress(`${size.chats} sessions to ask about`);
  const api = bench.system.api;
  const { sessionIds } = await postAlerts({ api, count: size.chats, clients: CLIENTS, signal });
  await waitForSessions(bench, context);
  const measured: ChatRound[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    // Each second round in the opposite order.
    const early = round % 2 === 0 ? await askAll(bench, sessionIds, signal) : undefined;
    await postAlerts({ api, count: size.alerts, clients: CLIENTS, signal });
    const backlog = await askAll(bench, sessionIds, signal);
    const waiting = (await bench.db.rows(parseWaiting, WAITING))[0]?.waiting ?? 0;
    if (waiting === 0) throw new Error("no alert waits any more: submit more of them (--alerts)");
    await waitForSessions(bench, context);
    const idle = early ?? (await askAll(bench, sessionIds, signal));
    if (round > 0) measured.push({ idle, backlog, waiting });
  }
  return measured;
}

/** Asks about each session, `SLOTS` at a time. */
async function askAll(
  { system }: BenchSystem,
  sessionIds: readonly string[],
  signal: AbortSignal,
): Promise<ChatFigures> {
  const times: number[] = [];
  const left = [...sessionIds];
  const client = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      signal.throwIfAborted();
      times.push(await askQuestion(system, id));
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, client));
  return { p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95), max_ms: Math.max(...times) };
}
