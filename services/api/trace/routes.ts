import type { RouterMiddleware } from "@koa/router";
import { isUuid } from "#shared/contracts/uuid.ts";
import { McpInteractionEntity } from "#shared/database/entities.ts";
import type { ApiDeps } from "../api-deps.ts";
import { notFound, validationError } from "../http/request-error.ts";
import { sessionAt } from "../http/session-at.ts";
import { interactionView, withShownStage } from "./trace-view.ts";

/** `GET /api/v1/sessions/:id/trace/mcp/:interaction`: one tool listing or tool call with its arguments and its result. */
export function getMcpTrace({ orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const interaction_id = ctx.params["interaction"] ?? "";
    if (!isUuid(interaction_id)) throw validationError("interaction_id", "must be a UUID");
    ctx.body = await orm.transaction("REPEATABLE READ", async (manager) => {
      const { session_id } = await sessionAt(manager, ctx);
      const interaction = await manager.findOneBy(McpInteractionEntity, { session_id, interaction_id });
      if (interaction === null) throw notFound();
      return interactionView(await withShownStage(manager, interaction));
    });
  };
}
