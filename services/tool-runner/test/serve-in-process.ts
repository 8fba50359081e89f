import { randomUUID } from "node:crypto";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { untilSubscribed } from "#shared/bus/subscribe.ts";
import { Masker } from "#shared/masking/masker.ts";
import type { ToolFixture } from "../../../test/support/tool-fixture.ts";
import type { CallDeps } from "../answer-call.ts";
import type { CallMaskingDeps } from "../run-tool.ts";
import { HeldExecutions } from "../held-executions.ts";
import { RunningCalls } from "../running-calls.ts";
import { publishProgress } from "../../../shared/bus/publish-message.ts";
import { serveTools } from "../serve-tools.ts";
import { SessionCleanups } from "../session-cleanups.ts";
import type { Tool } from "../tool.ts";

interface Options extends Partial<CallDeps>, Partial<Pick<CallMaskingDeps, "masker" | "maskingRules">> {
  readonly maxRunning?: number;
  /** In milliseconds: when connections of sessions that no executor runs are ended. */
  readonly unusedFor?: number;
}

/** A tool-runner in the test's process, with tools that the test controls. */
export async function serveInProcess(
  { db, log, servers }: ToolFixture,
  tools: readonly Tool[],
  { maxRunning = 5, unusedFor, masker, maskingRules = new Map(), ...more }: Options = {},
): Promise<AsyncDisposable & { readonly bus: Bus }> {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const url = servers.natsUrl("tool-runner");
  const bus = resources.use(await openBus({ url, name: "runner", log, signal }));
  const audit = new AuditLog({ db, log, service: "tool-runner" });
  const { servers: mcp } = more;
  const cleanups = mcp && resources.use(new SessionCleanups({ db, log, servers: mcp }));
  const running = new RunningCalls({
    ...(cleanups === undefined ? {} : { cleanups }),
    db,
    audit,
    log,
    masker: masker ?? resources.use(new Masker()),
    maskingRules,
    onProgress: (executionId, progress) => publishProgress(bus, executionId, progress),
    maxRunning,
    stopGraceMs: 30_000,
  });
  const catalogue = new Map(tools.map((tool) => [tool.description.name, tool]));
  const runnerId = randomUUID();
  const times = unusedFor === undefined ? {} : { unusedFor, sweepEvery: 100 };
  const held =
    mcp &&
    cleanups &&
    resources.use(new HeldExecutions({ db, log, servers: mcp, running, cleanups, ...times }));
  const own = { bus, db, audit, log, tools: catalogue, running, runnerId };
  const deps = { ...own, ...(held && cleanups ? { held, cleanups } : {}), ...more };
  resources.use(serveTools(deps));
  await untilSubscribed(bus, signal);
  return { bus, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
