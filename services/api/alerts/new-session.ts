import type { SessionLane } from "#shared/contracts/subjects.ts";
import type { StoredConfig } from "#shared/database/resolved-configs.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import type { TraceCarrier } from "#shared/telemetry/trace-carrier.ts";

/** The columns of a new session and its entry in the audit log, all Postgres-safe; `notify`, `mcpSelection` and `metadata` are JSON text. */
export interface NewSession {
  readonly sessionId: string;
  readonly data: string;
  readonly alertType: string;
  /** Its priority. */
  readonly lane: SessionLane;
  readonly author: string;
  readonly owner: string | null;
  /** For the audit log: as authenticated, and from which address. */
  readonly submitter: { readonly subject: string; readonly via: string; readonly peer: string | null };
  readonly teams: readonly string[];
  readonly runbook: string | null;
  /** Finds the message in Slack that the alert comes from. */
  readonly slackFingerprint: string | null;
  /** Where its news go (`NotifyPlan`), JSON text; null if there is no destination. */
  readonly notify: string | null;
  readonly mcpSelection: string | null;
  readonly chainId: string;
  readonly config: StoredConfig;
  /** Of the texts in `texts` that the configuration refers to. */
  readonly textHashes: readonly string[];
  readonly metadata: string | null;
  /** The key of the placeholders in `data` and `runbook`. */
  readonly maskKey: string;
  /** The values that were masked in them, to be found again in tool results. */
  readonly maskedValues: readonly MaskedValue[];
  /** The span of the request; null while nothing is traced. */
  readonly traceContext: TraceCarrier | null;
}
