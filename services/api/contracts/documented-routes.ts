import type { Route } from "../http/routes-of.ts";
import { CONTRACTS } from "./contracts.ts";
import type { RouteContract } from "./legacy.ts";

/** A row of the table of routes. */
export type RouteRow = Pick<Route, "method" | "path" | "action" | "access" | "handle">;

const contracts = new Map<string, RouteContract>(Object.entries(CONTRACTS));

/** The rows of the table of routes, each with its contract. */
export function withContracts(rows: readonly RouteRow[]): readonly Route[] {
  return rows.flatMap((row) => {
    const contract = contracts.get(`${row.method.toUpperCase()} ${row.path}`);
    return contract === undefined ? [] : [{ ...row, ...contract }];
  });
}
