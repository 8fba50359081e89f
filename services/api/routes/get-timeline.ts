import type { RouterMiddleware } from "@koa/router";
import type { EntityManager } from "typeorm";
import { TimelineEventEntity, type TimelineEvent } from "#shared/database/entities/timeline-event.ts";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";
import { timelineEventView } from "./session-view.ts";

/** `GET /api/v1/sessions/:id/timeline`: the session's timeline events, in order. */
export function getTimeline({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
    const timeline = await readTimeline(orm.manager, session_id);
    ctx.body = { session_id, timeline: timeline.map(timelineEventView) };
  };
}

/** Reads a session's timeline rows in the order they were created. */
export async function readTimeline(manager: EntityManager, sessionId: string): Promise<TimelineEvent[]> {
  return manager.find(TimelineEventEntity, {
    where: { session_id: sessionId },
    order: { created_at: "ASC", sequence_number: "ASC" },
  });
}
