import type { DocumentedRoute } from "../openapi/openapi-document.ts";
import { CONTRACTS } from "./contracts.ts";
import type { RouteContract } from "./route-contract.ts";

const contracts = new Map<string, RouteContract>(Object.entries(CONTRACTS));

/** The routes that have a contract, each with it. */
export function documentedRoutes(
  routes: readonly Omit<DocumentedRoute, "contract">[],
): readonly DocumentedRoute[] {
  return routes.flatMap(({ method, path, action }) => {
    const contract = contracts.get(`${method.toUpperCase()} ${path}`);
    return contract === undefined ? [] : [{ method, path, action, contract }];
  });
}
