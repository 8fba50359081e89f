import { randomUUID } from "node:crypto";
import type { Gauge } from "prom-client";
import { hashProvider } from "#shared/contracts/provider-hash.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { LlmOutcome } from "./llm-reply.ts";
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
/** While this executor calls no model. */
const IDLE_READ_EVERY_MS = 5_000;
/** A provider's text may be a whole web page. */
const MAX_ERROR_LENGTH = 500;

/** A provider that counts as away. */
export interface OpenCircuit {
  readonly lastError: string;
  /** Milliseconds until it may be called again by one executor; zero or negative once it may. */
  readonly probeInMs: number;
}

/**
 * A call to a provider, which reports its outcome. Both methods may be called more than once; the first call counts.
 */
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
 * The knowledge that all executors share about providers that are away, in one row per provider and entry
 * (`llm_circuits`). After failures of two sessions within a minute a provider is not called, except by one probe at a
 * time, until it answers one.
 */
export interface ProviderCircuits extends AsyncDisposable {
  /** The state that is known without the database; undefined for a provider that may be called. */
  find(provider: ResolvedProvider): OpenCircuit | undefined;
  /** The right to call the provider, or what stands against it. Asks the database only if a probe is due. */
  admit(provider: ResolvedProvider): Promise<TrackedCall | OpenCircuit>;
  /** Reads the state again now. */
  refresh(): Promise<void>;
}

interface CircuitsOptions {
  readonly db: Database;
  readonly log: Logger;
  /** 1 for each provider that is away, 0 once it is back. */
  readonly gauge: Gauge<"provider">;
}

interface Known {
  readonly provider: string;
  readonly lastError: string;
  /** By the monotonic clock. */
  readonly probeAt: number;
}

/** Reads the circuits every second, or every five while no model is called, until disposal. Without the database, providers are called as if they were there. */
export function keepCircuits(options: CircuitsOptions): ProviderCircuits {
  const circuits = new Circuits(options);
  circuits.start();
  return circuits;
}

class Circuits implements ProviderCircuits {
  readonly #options: CircuitsOptions;
  readonly #stopped = new AbortController();
  readonly #probes = new Set<string>();
  /** By the monotonic clock. */
  readonly #lastSuccess = new Map<string, number>();
  #open: ReadonlyMap<string, Known> = new Map();
  #running: Promise<void> = Promise.resolve();
  /** Since the last look: a model was called. */
  #isUsed = false;

  constructor(options: CircuitsOptions) {
    this.#options = options;
  }

  start(): void {
    const { signal } = this.#stopped;
    this.#running = (async () => {
      while (!signal.aborted) {
        await this.#tolerate(this.refresh());
        const isIdle = !this.#isUsed && this.#open.size === 0;
        this.#isUsed = false;
        await pause(isIdle ? IDLE_READ_EVERY_MS : READ_EVERY_MS, signal).catch(() => undefined);
      }
    })();
  }

  find(provider: ResolvedProvider): OpenCircuit | undefined {
    const circuit = this.#open.get(keyOf(provider));
    return circuit && { lastError: circuit.lastError, probeInMs: circuit.probeAt - performance.now() };
  }

  async admit(provider: ResolvedProvider): Promise<TrackedCall | OpenCircuit> {
    this.#isUsed = true;
    const circuit = this.find(provider);
    if (circuit === undefined) return this.#track(provider, null);
    if (circuit.probeInMs > 0) return circuit;
    const probe = randomUUID();
    const row = [provider.name, hashProvider(provider), probe];
    const claimed = await selectRows(this.#options.db, parseCircuit, CLAIM_PROBE, row).catch(() => []);
    if (claimed.length > 0) {
      this.#probes.add(probe);
      return this.#track(provider, probe);
    }
    await this.#tolerate(this.refresh());
    return this.find(provider) ?? this.#track(provider, null);
  }

  async refresh(): Promise<void> {
    const { db } = this.#options;
    const rows =
      this.#probes.size === 0
        ? await selectRows(db, parseCircuit, READ_OPEN_ONLY, [])
        : await selectRows(db, parseCircuit, READ_OPEN, [[...this.#probes]]);
    this.#show(new Map(rows.map(known)));
  }

  #track(provider: ResolvedProvider, probe: string | null): TrackedCall {
    let isOver = false;
    const end = (work: () => Promise<void>): Promise<void> => {
      if (isOver) return Promise.resolve();
      isOver = true;
      return this.#tolerate(work().finally(() => probe !== null && this.#probes.delete(probe)));
    };
    const failed = (sessionId: string, error: string) =>
      end(() => this.#reportFailure(provider, probe, { sessionId, error }));
    const abandoned = () =>
      end(async () => {
        const row = [provider.name, hashProvider(provider), probe];
        if (probe !== null) await this.#options.db.query(GIVE_UP_PROBE, row);
      });
    return {
      failed,
      abandoned,
      doubtful: (sessionId, error) => (probe === null ? abandoned() : failed(sessionId, error)),
      answered: () => end(() => this.#close(provider, probe)),
    };
  }

  async #reportFailure(
    provider: ResolvedProvider,
    probe: string | null,
    { sessionId, error }: { readonly sessionId: string; readonly error: string },
  ): Promise<void> {
    const succeededAt = this.#lastSuccess.get(keyOf(provider));
    const sinceSuccess = succeededAt === undefined ? null : performance.now() - succeededAt;
    const { text } = postgresSafeText(error);
    const shown = text.slice(0, safeCut(text, MAX_ERROR_LENGTH));
    const report = [provider.name, hashProvider(provider), sessionId, shown, probe, sinceSuccess];
    const rows = await selectRows(this.#options.db, parseCircuit, REPORT_FAILURE, report);
    if (rows.length > 0) this.#show(new Map([...this.#open, ...rows.map(known)]));
  }

  async #close(provider: ResolvedProvider, probe: string | null): Promise<void> {
    const key = keyOf(provider);
    this.#lastSuccess.set(key, performance.now());
    if (probe === null && !this.#open.has(key)) return;
    await this.#options.db.query(CLOSE, [provider.name, hashProvider(provider)]);
    this.#show(new Map([...this.#open].filter(([other]) => other !== key)));
  }

  #show(next: ReadonlyMap<string, Known>): void {
    const { log, gauge } = this.#options;
    for (const [key, { provider, lastError }] of next) {
      if (this.#open.has(key)) continue;
      log.warn({ provider, error: lastError }, "LLM provider is away: its calls wait or go to others");
    }
    for (const [key, { provider }] of this.#open) {
      if (next.has(key)) continue;
      log.info({ provider }, "LLM provider is back");
      gauge.set({ provider }, 0);
    }
    for (const { provider } of next.values()) gauge.set({ provider }, 1);
    this.#open = next;
  }

  /** A state that is not read or recorded costs a call or two more. */
  async #tolerate(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#options.log.debug({ error: errorMessage(error) }, "circuits not read or written"),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}

function known(row: ReturnType<typeof parseCircuit>): readonly [string, Known] {
  const { provider, entry_hash, last_error, probe_in_ms } = row;
  return [
    `${provider} ${entry_hash}`,
    { provider, lastError: last_error, probeAt: performance.now() + probe_in_ms },
  ];
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

/**
 * The verdict of a call about its provider: that it answers, that it is away, that it may be (`doubtful`), or nothing.
 * An error about this call only, a rate limit among them, is an answer.
 */
export type ProviderVerdict = "answers" | "away" | "doubtful" | "unknown";

/** A gateway that stops reports `overloaded` with this delay, in milliseconds; no provider is overloaded for so short. */
const STOPPING_GATEWAY_MS = 1_000;

/**
 * The provider as such is meant by: no tries left, no connection, overload. A refused credential is an answer: the call costs
 * nothing, and its session is to end with that error at once.
 */
export function providerVerdict(outcome: LlmOutcome): ProviderVerdict {
  if (outcome.kind === "completed") return "answers";
  if (outcome.kind !== "failed") return "unknown";
  const { code, retryAfterMs, lastCode } = outcome;
  switch (code) {
    case "max_retries":
      return lastCode === "rate_limited" ? "answers" : "away";
    case "overloaded":
      return retryAfterMs !== undefined && retryAfterMs > STOPPING_GATEWAY_MS ? "away" : "unknown";
    case "provider_error":
      return retryAfterMs === undefined ? "doubtful" : "away";
    case "timeout":
      return "doubtful";
    case "credentials":
    case "rate_limited":
    case "invalid_request":
    case "context_too_long":
    case "content_blocked":
    case "partial_stream_error":
    case "output_loop":
      return "answers";
    default:
      return "unknown";
  }
}
