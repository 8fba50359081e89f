import type { RouterMiddleware } from "@koa/router";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "./session-view.ts";

/** `GET /api/v1/sessions/:id/trace`: every LLM call, tool listing and tool call, including failed ones, in order. */
export function getTrace({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
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
