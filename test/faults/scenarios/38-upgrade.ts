import { setTimeout as wait } from "node:timers/promises";
import { CHECKOUT } from "../../support/spawn-service.ts";
import type { ServiceName } from "../../support/tarsy-system.ts";
import { until } from "../../support/until.ts";
import { ATTEMPTS, parseCount } from "../harness/database-recorder.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { checkOutLastVersion } from "../harness/last-version.ts";
import type { Scenario, ScenarioContext } from "../harness/scenario.ts";

const API_FIRST: readonly ServiceName[] = ["api", "notifier", "llm-gateway", "tool-runner", "executor"];
const API_LAST = API_FIRST.toReversed();
const TURNS = 4;
const SLOTS = 5;
/** Sessions that are submitted together; the channels of one connection to the notifier are limited to 50. */
const BATCH = 12;
const PAUSE_MS = 3_000;
/** The newest migration that executors of the last version can work with. */
const LAST_MIGRATION = 20;

/** Replaces the processes of one service after another by others with the code of a version. */
interface Replacement {
  readonly to: "this" | "last";
  readonly order: readonly ServiceName[];
}

/** The whole system starts with the last version's code and is replaced under load, service by service. */
function upgrade(name: string, summary: string, replacements: readonly Replacement[]): Scenario {
  return {
    name,
    summary,
    run: async (context) => {
      // The last version sends delays that NATS cannot read.
      context.allowComplaints(/bad NAK delay value/u);
      const last = await checkOutLastVersion();
      const lab = await context.lab({ executors: 2, slots: SLOTS, checkout: last });
      const done = new AbortController();
      const loading = keepLoaded(lab, AbortSignal.any([done.signal, context.signal]));
      const codes: (number | null)[] = [];
      try {
        await moreCompleted(lab, BATCH);
        for (const { to, order } of replacements) {
          const startedAt = performance.now();
          // As compose and Kubernetes do: the schema first, while the services of the other version run on it.
          if (to === "this") await lab.servers.migrate();
          lab.system.checkout = to === "this" ? CHECKOUT : last.path;
          codes.push(...(await replaceAll(lab, { to, order }, context.progress)));
          if (to === "last") await lab.servers.undoMigrations(LAST_MIGRATION);
          context.figure(`to ${to} version: all services replaced within`, secondsSince(startedAt), "s");
        }
        await moreCompleted(lab, BATCH);
      } finally {
        done.abort();
        await loading;
      }
      await lab.untilAllTerminal();
      await report(context, lab, codes);
    },
  };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

/** Keeps more sessions unfinished than the executors have slots, until `signal` aborts. */
async function keepLoaded(lab: FaultLab, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await lab.unfinished()) < 2 * SLOTS) {
      const shape = { turns: TURNS, paceMs: 600 };
      const batch = Array.from({ length: BATCH }, async () => lab.alerts.submitPersistently(shape, signal));
      lab.follow((await Promise.allSettled(batch)).flatMap((sent) => ("value" in sent ? [sent.value] : [])));
    }
    await wait(200);
  }
}

async function moreCompleted(lab: FaultLab, count: number): Promise<void> {
  const before = await lab.countByStatus("completed");
  await until(
    `${count} more sessions complete`,
    async () => (await lab.countByStatus("completed")) >= before + count,
    240_000,
  );
}

/**
 * Resolves with the exit codes of the replaced processes. Sessions that this version has migrated wait for its executors, or
 * until the migration is undone.
 */
async function replaceAll(
  lab: FaultLab,
  { to, order }: Replacement,
  progress: ScenarioContext["progress"],
): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  const replaced = new Set<ServiceName>();
  for (const name of order) {
    replaced.add(name);
    codes.push(...(await replaceService(lab, name)));
    progress(`${name} replaced`);
    // Executors and gateways with and without tokens wait for each other.
    const isMixed = replaced.has("llm-gateway") !== replaced.has("executor");
    const isWaiting = replaced.has("executor") !== (to === "this");
    if (isMixed || isWaiting) await wait(PAUSE_MS);
    else await moreCompleted(lab, SLOTS);
  }
  return codes;
}

async function replaceService(lab: FaultLab, name: ServiceName): Promise<(number | null)[]> {
  if (name === "executor") {
    const codes: (number | null)[] = [];
    for (const slot of lab.executors) {
      codes.push(await slot.stop());
      await slot.start();
    }
    return codes;
  }
  const start = async () => lab.startService(name);
  const old = lab.system.find(name);
  // The others listen on a fixed port, which only one process can have.
  if (name === "tool-runner") await start();
  const code = await lab.system.end(old, "SIGTERM");
  if (name !== "tool-runner") await start();
  return [code];
}

async function report(
  { figure, expect, allowRepeats }: ScenarioContext,
  lab: FaultLab,
  codes: (number | null)[],
) {
  // A call that its gateway did not finish within its grace period is repeated.
  allowRepeats(2 * SLOTS * codes.length);
  const [row] = await lab.servers.query(ATTEMPTS, []);
  const sessions = lab.alerts.acked.size;
  const completed = await lab.countByStatus("completed");
  const toolCalls = (await lab.toolCalls()).length;
  figure("sessions", sessions, "");
  figure("changes of owner", (await lab.claims()).length - sessions, "");
  figure("attempts counted", parseCount(row).count, "");
  figure("submissions answered with 5xx", lab.alerts.refusals.length, "");
  expect("every session completes", completed === sessions, `${completed} of ${sessions}`);
  expect(
    "every session has had its tools",
    toolCalls >= TURNS * sessions,
    `${toolCalls} calls of ${sessions} sessions`,
  );
  expect(
    "every replaced process exits with code 0",
    codes.every((code) => code === 0),
    codes.join(),
  );
}

export const upgradeScenarios: readonly Scenario[] = [
  upgrade("upgrade", "the last version is replaced by this one under load, api first", [
    { to: "this", order: API_FIRST },
  ]),
  upgrade("upgrade-api-last", "the last version is replaced by this one under load, executors first", [
    { to: "this", order: API_LAST },
  ]),
  upgrade("upgrade-rollback", "the last version is replaced by this one under load, and back", [
    { to: "this", order: API_FIRST },
    { to: "last", order: API_LAST },
  ]),
];
