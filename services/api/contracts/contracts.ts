import { ALERT_GROUP_CONTRACTS } from "./alert-groups.ts";
import { ALERT_CONTRACTS } from "./alerts.ts";
import { FORKING_CONTRACTS } from "./forking.ts";
import { SESSION_LIST_CONTRACTS } from "./session-lists.ts";
import { SESSION_CONTRACTS } from "./sessions.ts";
import { SYSTEM_CONTRACTS } from "./system.ts";
import { WEBHOOK_CONTRACTS } from "./webhooks.ts";

/** The contract of every route, by method and path. */
export const CONTRACTS = {
  ...ALERT_CONTRACTS,
  ...WEBHOOK_CONTRACTS,
  ...ALERT_GROUP_CONTRACTS,
  ...SESSION_LIST_CONTRACTS,
  ...SESSION_CONTRACTS,
  ...FORKING_CONTRACTS,
  ...SYSTEM_CONTRACTS,
} as const;

/** The type of all contracts, from which clients take those of requests and responses. */
export type ApiContracts = typeof CONTRACTS;
