import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { parseNotificationId } from "../http/parse-parameters.ts";
import { queryReader } from "../http/query-reader.ts";
import { RequestError, notFound } from "../http/request-error.ts";
import { NullableText } from "../http/common-schemas.ts";
import { routesOf } from "../http/routes-of.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import { NOTIFICATIONS, OutboxNotification, NotificationsQuery } from "./contract.ts";

const parseRow = compileParser(
  "notification row",
  Type.Object({
    ...OutboxNotification.properties,
    next_attempt_at: NullableText,
    last_error: NullableText,
    settled_at: NullableText,
  }),
);

const COLUMNS = `o.id, o.session_id, o.kind, o.destination, o.dedup_key, o.state, ${isoText("o.created_at")} AS created_at,
  CASE WHEN o.state = 'pending' THEN ${isoText("o.not_before")} END AS next_attempt_at, o.attempts, o.last_error,
  ${isoText("o.settled_at")} AS settled_at`;

/** Those of deleted sessions are not shown, as the sessions are not. */
const FIND = `
SELECT ${COLUMNS} FROM outbox o JOIN alert_sessions s USING (session_id)
WHERE s.deleted_at IS NULL AND o.id < $1 AND ($2::text IS NULL OR o.state = $2) AND ($3::text IS NULL OR o.destination = $3)
  AND ($4::uuid IS NULL OR o.session_id = $4)
ORDER BY o.id DESC LIMIT $5`;

const readQuery = queryReader(NotificationsQuery);

const FIND_ONE = `
SELECT ${COLUMNS} FROM outbox o JOIN alert_sessions s USING (session_id) WHERE o.id = $1 AND s.deleted_at IS NULL`;

/** It is due at once, also to a destination that fails or has stopped. An attempt that is under way goes on. */
const RETRY = `
WITH due AS (
  UPDATE outbox o SET state = 'pending', settled_at = NULL, attempts = 0, not_before = clock_timestamp()
  WHERE o.id = $1 AND o.state IN ('pending', 'dead') RETURNING *
), resumed AS (
  UPDATE notification_destinations d SET not_before = NULL, stopped_address = NULL
  FROM due WHERE d.destination = due.destination
)
SELECT ${COLUMNS} FROM due o`;

/** The routes of notifications, which go to people and other systems. */
export const notificationRoutes = ({ db, log }: ApiDeps) =>
  routesOf(NOTIFICATIONS, {
    async listNotifications(ctx) {
      const { limit, before, state, destination, session_id } = readQuery(ctx.query);
      const rows = await selectRows(db, parseRow, FIND, [
        before ?? Number.MAX_SAFE_INTEGER,
        state ?? null,
        destination ?? null,
        session_id ?? null,
        limit,
      ]);
      return { notifications: rows.map(withoutNulls), has_more: rows.length === limit };
    },

    async retryNotification(ctx) {
      const id = parseNotificationId(ctx.params["notification"]);
      const [found] = await selectRows(db, parseRow, FIND_ONE, [id]);
      if (found === undefined) throw notFound();
      const [due] = await selectRows(db, parseRow, RETRY, [id]);
      if (due === undefined) {
        throw new RequestError(409, "only a notification that waits or was given up can be sent");
      }
      const { session_id, destination, kind } = due;
      const caller = callerOf(ctx);
      caller.sessionId = session_id;
      caller.detail = { notification_id: id, destination, kind };
      log.info({ session_id, destination, kind }, "notification is tried again");
      return withoutNulls(due);
    },
  });
