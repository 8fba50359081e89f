import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startHttpServer } from "../../../services/tool-runner/mcp/test/http-server.ts";
import { CHECKOUT, SERVICES } from "../../../test/support/spawn-service.ts";
import { UsageError } from "../../../scripts/tarsy/command.ts";
import type { BenchmarkContext } from "../support/benchmark.ts";
import type { ArmComparison, FigureSpec } from "./comparison.ts";
import { firstOf } from "./first-of.ts";
import { toolConfig, toolTurns } from "../step/shapes.ts";
import { UnitMeter } from "./unit-meter.ts";
import { startPhysicalLimits } from "./physical-limits.ts";
import { runComparison } from "./run-comparison.ts";
import { startTarsy } from "./start-tarsy.ts";
import { delayed, ZERO_DELAY_SCRIPT } from "../support/start-bench-system.ts";
import { startTogether } from "./start-together.ts";
import type { VersusOptions } from "./versus-options.ts";

const run = promisify(execFile);
const LOAD_CLIENTS = 16;
const ACCEPT_CLIENTS = [1, 32] as const;

const SESSION_FIGURES: readonly FigureSpec[] = [
  { name: "sessions_per_s", limit: "commit_ms" },
  { name: "cpu_ms_per_session", limit: "commit_cpu_ms" },
  { name: "postgres_cpu_ms_per_session" },
  { name: "postgres_execution_ms_per_session" },
  { name: "statements_per_session" },
  { name: "transactions_per_session" },
  { name: "write_transactions_per_session" },
  { name: "wal_kb_per_session" },
];
const ACCEPT_FIGURES: readonly FigureSpec[] = ACCEPT_CLIENTS.flatMap((clients) => {
  const at = `with_${clients}_client${clients === 1 ? "" : "s"}`;
  return [
    { name: `${at}_accepted_alerts_per_s`, limit: "commit_ms" },
    { name: `${at}_accept_p50_ms`, limit: "commit_ms" },
    { name: `${at}_cpu_ms_per_accepted_alert`, limit: "commit_cpu_ms" },
    { name: `${at}_postgres_cpu_ms_per_accepted_alert` },
  ];
});

/**
 * Our system at two checkouts: complete sessions, then, without executors, the acceptance of alerts. Both systems run during
 * the whole comparison and get their load in turns. Throws UsageError unless `against` is a checkout with dependencies.
 */
export async function compareCommits(
  { against, executors, slots, rounds, sessions, toolCalls, modelMs }: VersusOptions,
  context: BenchmarkContext,
): Promise<ArmComparison[]> {
  if (against === undefined) throw new UsageError("commits needs --against DIR, another checkout");
  const other = resolve(against);
  assertCheckout(other);
  const { signal, progress } = context;
  await using resources = new AsyncDisposableStack();
  progress(`commits: starting both systems, each with ${executors} executor${executors === 1 ? "" : "s"}`);
  const checkouts = [CHECKOUT, other];
  // The alerts of the load contain this text.
  const turns = toolTurns("pod checkout", { turns: toolCalls, tools: 1 });
  const config =
    toolCalls === 0
      ? { script: ZERO_DELAY_SCRIPT }
      : toolConfig(turns, {}, resources.use(await startToolServer()).url);
  const files = { ...config, script: delayed(config.script, modelMs) };
  const started = await startTogether(
    resources,
    checkouts.map((checkout) => () => startTarsy({ checkout, executors, slots, files, signal })),
  );
  const revisions = await Promise.all(checkouts.map(revision));
  const systems = started.map((tarsy, index) => ({
    name: `${index === 0 ? "this" : "against"} ${revisions[index] ?? ""}`,
    tarsy,
    meter: new UnitMeter(tarsy),
  }));
  const limits = resources.use(await startPhysicalLimits(firstOf(systems).tarsy.measured.servers));
  const load = { count: sessions, signal };
  const whole = await runComparison(
    {
      name: "commits, whole sessions",
      what: `A unit is a session with a model that answers after ${modelMs} ms and ${toolCalls} tool calls of an MCP server over HTTP; ${executors} executor(s) with ${slots} slots each, ${LOAD_CLIENTS} clients. CPU is that of the five services and NATS.`,
      figures: SESSION_FIGURES,
      rounds,
      limits,
      arms: systems.map(({ name, meter }) => ({
        name,
        measure: () => meter.run({ name, unit: "session", clients: LOAD_CLIENTS, ...load }),
      })),
    },
    context,
  );
  for (const { tarsy } of systems) await tarsy.stopExecutors();
  const accepting = await runComparison(
    {
      name: "commits, accepting alerts",
      what: "No executor runs, so the queue grows, for both alike. An alert is 1 KiB.",
      figures: ACCEPT_FIGURES,
      rounds,
      limits,
      arms: systems.map(({ name, meter }) => ({
        name,
        measure: async () => {
          const figures: [string, number][] = [];
          for (const clients of ACCEPT_CLIENTS) {
            figures.push(...Object.entries(await meter.accept({ name, unit: "alert", clients, ...load })));
          }
          return Object.fromEntries(figures);
        },
      })),
    },
    context,
  );
  return [whole, accepting];
}

/** An MCP server as most are: it keeps a session for each client, and does not say what its tool may change. */
async function startToolServer() {
  const content = [{ type: "text", text: "pod checkout-7d9f restarts: OOMKilled, limit 512Mi. ".repeat(40) }];
  const tools = [{ name: "look", description: "Looks at a pod.", inputSchema: { type: "object" } }];
  const server = await startHttpServer("legacy", {
    "tools/list": (_request, response, id) => server.respond(response, id, { tools }),
    look: (_request, response, id) => server.respond(response, id, { content }),
  });
  return server;
}

function assertCheckout(directory: string): void {
  const missing = [
    ...SERVICES.map((name) => join("services", name, "main.ts")),
    join("node_modules", "pg"),
  ].find((path) => !existsSync(join(directory, path)));
  if (missing === undefined) return;
  throw new UsageError(`--against is "${directory}", which has no ${missing}; give a checkout after npm ci`);
}

/** The short commit of a checkout, with a mark if files were changed since. */
async function revision(directory: string): Promise<string> {
  const git = async (...args: string[]) => (await run("git", ["-C", directory, ...args])).stdout.trim();
  try {
    const changed = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
    return `${await git("rev-parse", "--short", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return "checkout";
  }
}
