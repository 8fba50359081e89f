import { SESSION_LIST_CONTRACTS } from "./session-lists.ts";
import { SESSION_CONTRACTS } from "./sessions.ts";

/** The contract of every route, by method and path. */
export const CONTRACTS = {
  ...SESSION_LIST_CONTRACTS,
  ...SESSION_CONTRACTS,
} as const;

/** The type of all contracts, from which clients take those of requests and responses. */
export type ApiContracts = typeof CONTRACTS;
