import type { ServerTools } from "./list-tools.ts";
import type { ServerHealth } from "./server-health.ts";
import type { ServerSettings } from "./server-settings.ts";

/** The state of a server by this runner's connections to it. */
export interface ConnectionsReport {
  /** The protocol that it speaks, once known. */
  readonly era: "legacy" | "modern" | undefined;
  /** Name and version as the server says them, once known. */
  readonly version: string | undefined;
  /** Open connections; with stdio each is a process. */
  readonly open: number;
  /** Attempts to connect since the start. */
  readonly connected: number;
  readonly failedToConnect: number;
  /** No attempt is made for now, because several failed in a row. */
  readonly isCircuitOpen: boolean;
}

/** The state of a server as this runner knows it. */
export interface ServerReport extends ConnectionsReport {
  readonly id: string;
  readonly transport: ServerSettings["transport"]["type"];
  readonly health: Pick<ServerHealth, "checkedAt" | "isWell" | "failure">;
  /** The last list, however old. */
  readonly tools: ServerTools | undefined;
  /** The time for which the server has not answered the request for its list, in milliseconds; 0 while there is none. */
  readonly unansweredMs: number;
  /** True if an execution may still get the list. */
  readonly isUsable: boolean;
}
