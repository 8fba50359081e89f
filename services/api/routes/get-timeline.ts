import type { RouterMiddleware } from "@koa/router";
import type { EntityManager } from "typeorm";
import { timelineEntries } from "#shared/contract-view/timeline-entry.ts";
import { TimelineEventEntity, type TimelineEvent } from "#shared/database/entities/timeline-event.ts";
import type { ApiDeps } from "../api-deps.ts";
import { sessionAt } from "../http/session-at.ts";
import { readStagesOf } from "./read-stages.ts";

/** `GET /api/v1/sessions/:id/timeline`: the session's timeline in the contract's shape, in order, read from one snapshot; with `at_seq` as it was then. */
export function getTimeline({ orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    ctx.body = await orm.transaction("REPEATABLE READ", async (manager) => {
      const { session_id } = await sessionAt(manager, ctx);
      const { shown } = await readStagesOf(manager, session_id);
      return timelineEntries(await readTimeline(manager, session_id), shown);
    });
  };
}

/** Reads a session's timeline rows in the order they were created. */
export async function readTimeline(manager: EntityManager, sessionId: string): Promise<TimelineEvent[]> {
  return manager.find(TimelineEventEntity, {
    where: { session_id: sessionId },
    order: { created_at: "ASC", sequence_number: "ASC" },
  });
}
