import type { RouterMiddleware } from "@koa/router";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { SessionRuntimeEntity } from "#shared/database/entities/session-runtime.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";
import { readTimeline } from "./get-timeline.ts";
import { sessionView } from "./session-view.ts";

/** `GET /api/v1/sessions/:id`: the session with its stages, executions and timeline, read from one snapshot. */
export function getSession({ orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    ctx.body = await orm.transaction("REPEATABLE READ", async (manager) => {
      const { session_id } = await visibleSession(manager, ctx);
      const session = await manager.findOneByOrFail(AlertSessionEntity, { session_id });
      const runtime = await manager.findOneBy(SessionRuntimeEntity, { session_id });
      const stages = await manager.find(StageEntity, {
        where: { session_id },
        order: { stage_index: "ASC" },
      });
      const executions = await manager.find(AgentExecutionEntity, {
        where: { session_id },
        order: { agent_index: "ASC" },
      });
      return sessionView(session, runtime, {
        stages,
        executions,
        timeline: await readTimeline(manager, session_id),
      });
    });
  };
}
