import type { DocumentedRoute } from "../openapi/openapi-document.ts";
import { CONTRACTS } from "./contracts.ts";
import type { RouteContract } from "./route-contract.ts";

const contracts = new Map<string, RouteContract>(Object.entries(CONTRACTS));

/** The contract of a route; undefined if it has none. */
export function contractOf({ method, path }: Pick<DocumentedRoute, "method" | "path">) {
  return contracts.get(`${method.toUpperCase()} ${path}`);
}

/** The routes that have a contract, each with it. */
export function documentedRoutes(
  routes: readonly Omit<DocumentedRoute, "contract">[],
): readonly DocumentedRoute[] {
  return routes.flatMap(({ method, path, action }) => {
    const contract = contractOf({ method, path });
    return contract === undefined ? [] : [{ method, path, action, contract }];
  });
}
