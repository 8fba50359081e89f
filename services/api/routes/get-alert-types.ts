import type { RouterMiddleware } from "@koa/router";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import type { ApiDeps } from "../api-deps.ts";

/** `GET /api/v1/alert-types`: the known alert types, each with the chain that investigates it, by chain and type. */
export function getAlertTypes({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  const alertTypes = knownAlertTypes(agents).flatMap((type) => {
    const found = findChain(agents, type);
    if (found === undefined) return [];
    const { chainId, chain } = found;
    return [{ type, alert_type: type, chain_id: chainId, description: chain.description ?? "" }];
  });
  const { alert_type } = agents.defaults;
  const body = {
    // Equal chains keep the order of their types.
    alert_types: alertTypes.toSorted((a, b) => compare(a.chain_id, b.chain_id)),
    default_chain_id: findChain(agents, alert_type)?.chainId ?? null,
    default_alert_type: alert_type,
  };
  return (ctx) => {
    ctx.body = body;
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
