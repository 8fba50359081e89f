import { randomUUID } from "node:crypto";
import { hashProvider } from "#shared/contracts/provider-hash.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ExecutorMetrics } from "../executor-metrics.ts";
import type { LlmOutcome } from "./llm-reply.ts";
import { providerVerdict } from "./provider-verdict.ts";
import {
  CLAIM_PROBE,
  CLOSE,
  GIVE_UP_PROBE,
  READ_OPEN,
  READ_OPEN_ONLY,
  REPORT_FAILURE,
  parseCircuit,
} from "./circuit-statements.ts";

const READ_EVERY_MS = 1_000;
/** A provider's text may be a whole web page. */
const MAX_ERROR_LENGTH = 500;

/** A provider that counts as away. */
export interface OpenCircuit {
  readonly lastError: string;
  /** Milliseconds until it may be called again by one executor; zero or negative once it may. */
  readonly probeInMs: number;
}

/** A call to a provider, to be told how it went. Both methods may be called more than once; the first call counts. */
export interface TrackedCall {
  /** The provider answered, be it with an error about this call only. */
  answered(): Promise<void>;
  /** The provider is away. */
  failed(sessionId: string, error: string): Promise<void>;
  /** The provider may be away: only a probe is taken at that word. */
  doubtful(sessionId: string, error: string): Promise<void>;
  /** The call ended without telling anything about the provider. */
  abandoned(): Promise<void>;
}

/**
 * What all executors know together about providers that are away, in one row per provider and entry (`llm_circuits`). After
 * failures of two sessions within a minute a provider is not called, except by one probe at a time, until it answers one.
 */
export interface ProviderCircuits extends AsyncDisposable {
  /** What is known without asking the database; undefined for a provider that may be called. */
  find(provider: ResolvedProvider): OpenCircuit | undefined;
  /** The right to call the provider, or what stands against it. Asks the database only if a probe is due. */
  admit(provider: ResolvedProvider): Promise<TrackedCall | OpenCircuit>;
  /** Reads the state again now. */
  refresh(): Promise<void>;
}

interface CircuitsOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Pick<ExecutorMetrics, "circuitOpen">;
}

interface Known {
  readonly provider: string;
  readonly lastError: string;
  /** By the monotonic clock. */
  readonly probeAt: number;
}

/** Reads the circuits every second until disposal. Without the database, providers are called as if they were there. */
export function keepCircuits({ db, log, metrics }: CircuitsOptions): ProviderCircuits {
  let open: ReadonlyMap<string, Known> = new Map();
  const probes = new Set<string>();
  const lastSuccess = new Map<string, number>();
  const stopped = new AbortController();

  const show = (next: ReadonlyMap<string, Known>) => {
    for (const [key, { provider, lastError }] of next) {
      if (open.has(key)) continue;
      log.warn({ provider, error: lastError }, "LLM provider is away: its calls wait or go to others");
    }
    for (const [key, { provider }] of open) {
      if (next.has(key)) continue;
      log.info({ provider }, "LLM provider is back");
      metrics.circuitOpen.set({ provider }, 0);
    }
    for (const { provider } of next.values()) metrics.circuitOpen.set({ provider }, 1);
    open = next;
  };
  const known = (row: ReturnType<typeof parseCircuit>): readonly [string, Known] => [
    `${row.provider} ${row.entry_hash}`,
    { provider: row.provider, lastError: row.last_error, probeAt: performance.now() + row.probe_in_ms },
  ];
  const refresh = async () => {
    const rows =
      probes.size === 0
        ? await selectRows(db, parseCircuit, READ_OPEN_ONLY, [])
        : await selectRows(db, parseCircuit, READ_OPEN, [[...probes]]);
    show(new Map(rows.map(known)));
  };
  /** What is not recorded costs a call or two more. */
  const tolerate = (work: Promise<void>) =>
    work.catch((error: unknown) => log.debug({ error: errorMessage(error) }, "circuits not read or written"));
  const without = (key: string) => new Map([...open].filter(([other]) => other !== key));

  const track = (row: readonly [string, string], key: string, probe: string | null): TrackedCall => {
    let isOver = false;
    const end = (work: () => Promise<void>) => {
      if (isOver) return Promise.resolve();
      isOver = true;
      return tolerate(work().finally(() => probe !== null && probes.delete(probe)));
    };
    const failed = (sessionId: string, error: string) =>
      end(async () => {
        const succeededAt = lastSuccess.get(key);
        const sinceSuccess = succeededAt === undefined ? null : performance.now() - succeededAt;
        const text = postgresSafeText(error).text.slice(0, MAX_ERROR_LENGTH);
        const report = [...row, sessionId, text, probe, sinceSuccess];
        const rows = await selectRows(db, parseCircuit, REPORT_FAILURE, report);
        if (rows.length > 0) show(new Map([...open, ...rows.map(known)]));
      });
    const abandoned = () =>
      end(async () => {
        if (probe !== null) await db.query(GIVE_UP_PROBE, [...row, probe]);
      });
    return {
      failed,
      abandoned,
      doubtful: (sessionId, error) => (probe === null ? abandoned() : failed(sessionId, error)),
      answered: () =>
        end(async () => {
          lastSuccess.set(key, performance.now());
          if (probe === null && !open.has(key)) return;
          await db.query(CLOSE, [...row]);
          show(without(key));
        }),
    };
  };

  const find = (provider: ResolvedProvider): OpenCircuit | undefined => {
    const circuit = open.get(keyOf(provider));
    return circuit && { lastError: circuit.lastError, probeInMs: circuit.probeAt - performance.now() };
  };
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await tolerate(refresh());
      await pause(READ_EVERY_MS, stopped.signal).catch(() => undefined);
    }
  })();

  return {
    find,
    admit: async (provider) => {
      const row = [provider.name, hashProvider(provider)] as const;
      const key = keyOf(provider);
      const circuit = find(provider);
      if (circuit === undefined) return track(row, key, null);
      if (circuit.probeInMs > 0) return circuit;
      const probe = randomUUID();
      const claimed = await selectRows(db, parseCircuit, CLAIM_PROBE, [...row, probe]).catch(() => []);
      if (claimed.length > 0) {
        probes.add(probe);
        return track(row, key, probe);
      }
      await tolerate(refresh());
      return find(provider) ?? track(row, key, null);
    },
    refresh,
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      await running;
    },
  };
}

function keyOf(provider: ResolvedProvider): string {
  return `${provider.name} ${hashProvider(provider)}`;
}

/** Tells a tracked call how it ended. */
export async function tellOutcome(call: TrackedCall, sessionId: string, outcome: LlmOutcome): Promise<void> {
  const error = outcome.kind === "completed" ? "" : outcome.message;
  switch (providerVerdict(outcome)) {
    case "answers":
      return call.answered();
    case "away":
      return call.failed(sessionId, error);
    case "doubtful":
      return call.doubtful(sessionId, error);
    default:
      return call.abandoned();
  }
}
