import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "./api-metrics.ts";
import type { ApiConfig } from "./config.ts";
import type { CriticalPlaces } from "./parking/critical-places.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Outbound } from "./notifications/http/outbound.ts";
import type { ReadReplica } from "./read-replica.ts";
import type { SseConnections } from "./sse/sse-connections.ts";
import type { Orm } from "#shared/database/connection/orm.ts";
import type { Database } from "#shared/database/database.ts";

import type { AuditLog } from "#shared/access/audit-log.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { Door } from "#shared/access/door.ts";

/** The dependencies of the routes. */
export interface ApiDeps {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly orm: Orm;
  /** A standby for lists and sums; undefined if there is none. */
  readonly replica?: ReadReplica | undefined;
  readonly dispatcher: Dispatcher;
  /** Asks sessions to park while critical ones wait for a place. */
  readonly places: CriticalPlaces;
  readonly metrics: ApiMetrics;
  readonly sse: SseConnections;
  readonly door: Door;
  readonly audit: AuditLog;
  readonly masker: Masker;
  /** For what a route has to ask other systems. */
  readonly outbound: Outbound;
  /** Where Amazon SNS answers for a region; by default at its own address. */
  readonly snsOrigin?: ((region: string) => string) | undefined;
}
