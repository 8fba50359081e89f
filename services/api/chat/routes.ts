import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { routesOf } from "../http/routes-of.ts";
import { CHAT } from "./contract.ts";
import { openQuestions } from "./open-questions.ts";

/** 100,000 characters, each escaped to twelve bytes. */
const MAX_BODY_BYTES = 1_280 * 1024;
const BODY_BYTES_IN_FLIGHT = 8 * 1024 * 1024;

/** The route of questions about sessions that have ended. */
export function chatRoutes(deps: ApiDeps) {
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const ask = openQuestions(deps);
  return routesOf(CHAT, {
    askChat: async (ctx) =>
      ask(callerOf(ctx), ctx.params["id"], async () => readJsonBody(ctx, bodies, MAX_BODY_BYTES)),
  });
}
