import type { RouterMiddleware } from "@koa/router";
import type { EntityManager } from "typeorm";
import { timelineEntries } from "#shared/contract-view/timeline-entry.ts";
import { TimelineEventEntity } from "#shared/database/entities.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import type { ApiDeps } from "../api-deps.ts";
import { sessionAt } from "../http/session-at.ts";
import { readStagesOf } from "../views/read-stages.ts";

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

/** Reads a session's timeline rows in the order they were created: all, or those of one type. */
export async function readTimeline(
  manager: EntityManager,
  session_id: string,
  event_type?: TimelineEvent["event_type"],
): Promise<TimelineEvent[]> {
  return manager.find(TimelineEventEntity, {
    where: event_type === undefined ? { session_id } : { session_id, event_type },
    order: { created_at: "ASC", sequence_number: "ASC" },
  });
}
