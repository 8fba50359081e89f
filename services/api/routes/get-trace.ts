import type { RouterMiddleware } from "@koa/router";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { findSession } from "#shared/database/find-session.ts";
import type { ApiDeps } from "../api-deps.ts";
import { parseSessionId } from "../http/parse-parameters.ts";
import { notFound } from "../http/request-error.ts";
import { withoutNulls } from "./session-view.ts";

/** `GET /api/v1/sessions/:id/trace`: every LLM call, tool listing and tool call, including failed ones, in order. */
export function getTrace({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const session_id = parseSessionId(ctx.params["id"]);
    if ((await findSession(db, session_id)) === undefined) throw notFound();
    const where = { session_id };
    const order = { created_at: "ASC", interaction_id: "ASC" } as const;
    const [llm, tools] = await Promise.all([
      orm.manager.find(LlmInteractionEntity, { where, order }),
      orm.manager.find(McpInteractionEntity, { where, order }),
    ]);
    ctx.body = {
      session_id,
      llm_interactions: llm.map(withoutNulls),
      tool_interactions: tools.map(withoutNulls),
    };
  };
}
