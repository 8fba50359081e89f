import type { AuditLog } from "#shared/access/audit-log.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { BudgetSource } from "../budget/budget-source.ts";
import type { ExecutorConfig } from "../config.ts";
import type { ExecutorMetrics } from "../executor-metrics.ts";
import type { ProviderCircuits } from "../llm/provider-circuits.ts";
import type { Features } from "./feature.ts";
import type { LeaseKeeper } from "../session-lease.ts";
import type { Database } from "#shared/database/database.ts";

/** The executor's dependencies, opened and released by `main.ts`. */
export interface ExecutorDeps {
  readonly config: ExecutorConfig;
  readonly log: Logger;
  /** Records tool calls that are not made. */
  readonly audit: AuditLog;
  readonly db: Database;
  readonly bus: Bus;
  readonly llm: LLMServiceClient;
  readonly leases: LeaseKeeper;
  readonly circuits: ProviderCircuits;
  readonly budgets: BudgetSource;
  readonly metrics: ExecutorMetrics;
  readonly masker: Masker;
  readonly features: Features;
  /** Called once the end of a session has stored that it asks for work that follows, such as its score. */
  readonly onFollowUp?: (() => void) | undefined;
  /** The present for agents, in milliseconds since the epoch; by default this machine's clock. */
  readonly now?: (() => number) | undefined;
  /** An answer that no one watches is stored in one commit if it ends within this many milliseconds; by default 50. */
  readonly atOnceMs?: number | undefined;
  /** The pause before another try; by default it takes its time. */
  readonly pause?: typeof pause | undefined;
}
