import type { RouterMiddleware } from "@koa/router";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import type { ApiDeps } from "../api-deps.ts";

/** `GET /api/v1/alert-types`: the known alert types, each with the chain that investigates it. */
export function getAlertTypes({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  const alertTypes = knownAlertTypes(agents).flatMap((alertType) => {
    const found = findChain(agents, alertType);
    if (found === undefined) return [];
    const { chainId, chain } = found;
    return [{ alert_type: alertType, chain_id: chainId, description: chain.description ?? "" }];
  });
  const body = { alert_types: alertTypes, default_alert_type: agents.defaults.alert_type };
  return (ctx) => {
    ctx.body = body;
  };
}
