import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { LOOK_UPS } from "#shared/database/connection/statement-limits.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { Masker } from "#shared/masking/masker.ts";
import { pause } from "#shared/pause.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { Logger } from "#shared/service/logger.ts";
import { keepBudgets, type BudgetSource } from "../../../services/executor/budget/budget-source.ts";
import { claimSession } from "../../../services/executor/claim-session.ts";
import type { ExecutorDeps } from "../../../services/executor/core/executor-deps.ts";
import { createExecutorMetrics } from "../../../services/executor/executor-metrics.ts";
import { FEATURES } from "../../../services/executor/features/features.ts";
import { openLlmClient } from "../../../services/executor/llm/open-llm-client.ts";
import type { ReadVariable } from "../../../services/executor/prompts/variable-placeholders.ts";
import { runSession } from "../../../services/executor/run-session.ts";
import { keepLeases } from "../../../services/executor/session-lease.ts";
import { AwayProviders } from "../pacing/away-providers.ts";
import { SilentBus } from "./silent-bus.ts";

/** What an executor in this process is to work with. */
export interface OfflineExecutorOptions {
  /** Of the llm-gateway: host:port, or any gRPC target such as `unix:/path`. */
  readonly llmAddress: string;
  readonly llmToken: string;
  /** How many sessions may run at a time; decides the number of connections. */
  readonly sessions: number;
  readonly signal: AbortSignal;
  /** Looks up a variable that the configuration inserts into instructions; by default there is none. */
  readonly readVariable?: ReadVariable;
  /** By server id; by default no server has rules. */
  readonly maskingRules?: ReadonlyMap<string, MaskingRules>;
  readonly knownSecrets?: readonly string[];
  readonly costEstimation?: CostEstimation;
  /** By default there are none. */
  readonly holidays?: readonly Holiday[];
  /** How often the llm-gateway tries a call. */
  readonly llmTries?: number;
  /** Called after a commit of a session with events. */
  readonly onEvents?: (sessionId: string) => void;
}

/** What one session is to have of its own. */
type OwnDeps = Pick<ExecutorDeps, "pause" | "now"> &
  Partial<Pick<ExecutorDeps, "circuits" | "config" | "features">>;

/** An executor in this process. */
export interface OfflineExecutor extends AsyncDisposable {
  readonly deps: ExecutorDeps;
  /**
   * Runs a session, and then its follow-ups that are open, until nothing of it can be done any more; waits as an executor would where it
   * waits. Aborting `signal` stops it where it is. Throws the signal's reason.
   */
  runToEnd(sessionId: string, signal: AbortSignal, own?: OwnDeps): Promise<void>;
}

const MIB = 1024 * 1024;
const TOOL_CALL_MS = 600_000;
/** Between two looks at a session that waits. */
const LOOK_AGAIN_MS = 100;
const EVENTS = /^tarsy\.events\.(?<session>.+)$/u;

/** Opens an executor on a database that only this process uses. */
export async function openOfflineExecutor(
  { databaseUrl, log }: { readonly databaseUrl: string; readonly log: Logger },
  options: OfflineExecutorOptions,
): Promise<OfflineExecutor> {
  const { signal, sessions } = options;
  await using opened = new AsyncDisposableStack();
  const config = executorConfig(databaseUrl, options);
  const database = { url: databaseUrl, applicationName: config.podId, settings: LOOK_UPS, log, signal };
  const db = opened.use(await openDatabase({ ...database, poolSize: sessions + 2 }));
  const leaseDb = opened.use(await openDatabase({ ...database, poolSize: 1 }));
  const bus = opened.use(
    new SilentBus(log, (subject) => {
      const session = EVENTS.exec(subject)?.groups?.["session"];
      if (session !== undefined) options.onEvents?.(session);
    }),
  );
  const llm = opened.adopt(
    openLlmClient({
      address: options.llmAddress,
      maxMessageBytes: config.maxMessageBytes,
      token: options.llmToken,
    }),
    (client) => client.close(),
  );
  const leases = opened.use(keepLeases({ db: leaseDb, podId: config.podId, slots: sessions, log }));
  const deps: ExecutorDeps = {
    config,
    log,
    audit: opened.use(new AuditLog({ db, log, service: "executor" })),
    db,
    bus,
    llm,
    leases,
    circuits: new AwayProviders(),
    budgets: ownBudgets(opened.use(await keepBudgets({ db, log }))),
    metrics: createExecutorMetrics(new Registry()),
    masker: opened.use(new Masker({ known: config.knownSecrets })),
    features: FEATURES,
  };
  const resources = opened.move();
  return {
    deps,
    runToEnd: (sessionId, stop, own = {}) => runToEnd({ ...deps, ...own }, sessionId, stop),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function executorConfig(databaseUrl: string, options: OfflineExecutorOptions): ExecutorDeps["config"] {
  const { llmAddress, llmToken, sessions } = options;
  return {
    log: { level: "silent", format: "json" },
    health: { host: "127.0.0.1", port: 0 },
    knownSecrets: options.knownSecrets ?? [],
    databaseUrl,
    natsUrl: "",
    llmGatewayAddress: llmAddress,
    llmGatewayToken: llmToken,
    maxMessageBytes: 16 * MIB,
    podId: `replay-${randomUUID()}`,
    readVariable: options.readVariable ?? (() => undefined),
    verifiesState: false,
    providerLists: [],
    maskingRules: options.maskingRules ?? new Map(),
    toolCallMs: TOOL_CALL_MS,
    costEstimation: options.costEstimation ?? { enabled: true, modelRates: new Map(), promotions: [] },
    holidays: options.holidays ?? [],
    llmTries: options.llmTries ?? 3,
    slots: sessions,
    followupSlots: sessions,
    stopGraceMs: 0,
    maxRunning: sessions,
    maxFollowups: sessions,
  };
}

/** A session counts against its own budget; what others have used is not known here. */
function ownBudgets(budgets: BudgetSource): BudgetSource {
  return {
    rulesOf: (session) => budgets.rulesOf(session).filter(({ scope }) => scope === "session"),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function runToEnd(deps: ExecutorDeps, sessionId: string, signal: AbortSignal): Promise<void> {
  const signals = { stop: signal, abort: signal };
  for (;;) {
    signal.throwIfAborted();
    const claim = await claimSession(deps.db, sessionId, deps.config.podId);
    if (claim.kind === "over") return;
    if (claim.kind !== "claimed") {
      await pause(LOOK_AGAIN_MS, signal);
      continue;
    }
    const log = deps.log.child({ session_id: sessionId });
    await runSession({ ...deps, log }, claim, signals);
  }
}
