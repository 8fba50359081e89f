import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { readSessionMasking, type SessionMasking } from "#shared/masking/read-session-masking.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ToolMetrics } from "./tool-metrics.ts";

/** The text that replaces one whose masking failed. */
export const WITHHELD =
  "[This result is withheld: masking the secrets in it failed. The call itself was made; do not repeat it only for its result.]";

const RETRY_MS = 500;

/** The parts that masking needs for all calls. */
export interface CallMaskingDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly masker: Masker;
  /** Keyed by server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  readonly metrics?: Pick<ToolMetrics, "finished" | "masked">;
}

/** Masks the texts of one call, and collects the values that were masked, to be stored with its outcome. */
export class CallMasking {
  readonly #deps: CallMaskingDeps;
  readonly #sessionId: string;
  readonly #server: string;
  readonly #rules: MaskingRules;
  readonly #values: MaskedValue[] = [];

  constructor(
    deps: CallMaskingDeps,
    { sessionId, server }: { readonly sessionId: string; readonly server: string },
  ) {
    this.#deps = deps;
    this.#sessionId = sessionId;
    this.#server = server;
    this.#rules = deps.maskingRules.get(server) ?? rulesOfServer();
  }

  /**
   * Resolves with the masked text, or with WITHHELD if masking failed. Waits while Postgres is unavailable: the session's key
   * and its masked values come from there. Throws the signal's reason once it aborts.
   */
  async mask(text: string, signal: AbortSignal, seams?: readonly number[]): Promise<string> {
    if (text === "") return text;
    // Only the runner's own secrets are masked without masking, which needs nothing of the session.
    const { key, seen } = this.#rules.enabled
      ? await this.#readSession(signal)
      : { key: undefined, seen: [] };
    try {
      const masked = await this.#deps.masker.mask(text, {
        rules: this.#rules,
        key,
        seen: [...seen, ...this.#values],
        seams,
      });
      this.#values.push(...masked.values);
      this.#deps.metrics?.masked(this.#server, masked.counts);
      return masked.text;
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log.error(
        { session_id: this.#sessionId, error: errorMessage(error) },
        "tool output withheld",
      );
      return WITHHELD;
    }
  }

  /** The values masked so far that the session had not masked before. */
  values(): readonly MaskedValue[] {
    return this.#values;
  }

  async #readSession(signal: AbortSignal): Promise<SessionMasking> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await readSessionMasking(this.#deps.db, this.#sessionId);
      } catch (error) {
        if (!isDatabaseRetryable(error)) throw error;
        this.#deps.log.warn(
          { error: errorMessage(error) },
          "tool output waits to be masked: Postgres unavailable",
        );
      }
      await pause(jitter(RETRY_MS), signal);
    }
  }
}
