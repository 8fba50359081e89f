import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { openEnvelope } from "#shared/alert-envelope.ts";
import { isJsonObject } from "#shared/json-object.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { decodeJson, readJsonText } from "../http/read-json-body.ts";
import { routesOf } from "../http/routes-of.ts";
import { noteUnknown } from "../http/unknown-members.ts";
import { acceptRequest } from "./accept-request.ts";
import { parseAlertRequest } from "./alert-request.ts";
import { ALERTS } from "./contract.ts";
import { previewAlert } from "./preview-alert.ts";
import type { Submitter } from "./open-submitter.ts";
import { submittedView } from "./submitted-view.ts";

/** The body, or the alert of this form in the envelope that the body is. */
function alertOf(text: string): unknown {
  const { payload, layers } = openEnvelope(text);
  // The body itself is the only layer.
  if (layers.length === 1) return payload;
  return isJsonObject(payload) && Object.hasOwn(payload, "data") ? payload : decodeJson(text);
}

/** The routes of alerts: one is answered once it is committed, and wakes an executor in the background. */
export function alertRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { submitter } = deps;
  const { agents } = deps.config;
  return routesOf(ALERTS, {
    async submitAlert(ctx) {
      submitter.rate.check(callerOf(ctx).identity);
      const alert = alertOf(await readJsonText(ctx, submitter.bodies));
      noteUnknown(ctx.req, alert);
      return submittedView(await acceptRequest(ctx, submitter, parseAlertRequest(alert)));
    },

    async previewAlert(ctx) {
      const { identity } = callerOf(ctx);
      submitter.rate.check(identity);
      const alert = alertOf(await readJsonText(ctx, submitter.bodies));
      noteUnknown(ctx.req, alert);
      return previewAlert(deps, parseAlertRequest(alert), identity);
    },

    listAlertTypes() {
      const alertTypes = knownAlertTypes(agents).flatMap((type) => {
        const found = findChain(agents, type);
        if (found === undefined) return [];
        const { chainId, chain } = found;
        return [{ type, alert_type: type, chain_id: chainId, description: chain.description ?? "" }];
      });
      const { alert_type } = agents.defaults;
      return {
        // Equal chains keep the order of their types.
        alert_types: alertTypes.toSorted((a, b) => compare(a.chain_id, b.chain_id)),
        default_chain_id: findChain(agents, alert_type)?.chainId ?? null,
        default_alert_type: alert_type,
      };
    },
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
