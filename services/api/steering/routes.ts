import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { routesOf } from "../http/routes-of.ts";
import { STEERING } from "./contract.ts";
import { openSteering } from "./open-steering.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

/** The route of messages to the agents of a running session. */
export function steeringRoutes(deps: ApiDeps) {
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const steer = openSteering(deps);
  return routesOf(STEERING, {
    async steerSession(ctx) {
      const { isReplayed, accepted } = await steer(callerOf(ctx), ctx.params["id"], {
        read: async () => readJsonBody(ctx, bodies, MAX_BODY_BYTES),
        idempotencyKey: ctx.req.headers["idempotency-key"],
      });
      if (isReplayed) ctx.set("idempotent-replayed", "true");
      return accepted;
    },
  });
}
