import type { RouterMiddleware } from "@koa/router";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { parseWholeNumber } from "../http/parse-parameters.ts";
import { validationError } from "../http/request-error.ts";
import { withoutNulls } from "./session-view.ts";

const LIMIT = { fallback: 100, min: 1, max: 1_000 };
const BEFORE = { fallback: Number.MAX_SAFE_INTEGER, min: 1, max: 9_999_999_999 };

const FIND = `
SELECT id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, service, subject, via, peer, action,
       session_id, result, detail
FROM audit_log
WHERE id < $1 AND ($2::uuid IS NULL OR session_id = $2) AND ($3::text IS NULL OR subject = $3)
  AND ($4::text IS NULL OR action = $4)
ORDER BY id DESC LIMIT $5`;

const Text = Type.Union([Type.String(), Type.Null()]);
const parseEntry = compileParser(
  "audit row",
  Type.Object({
    id: Type.Integer(),
    at: Type.String(),
    service: Type.String(),
    subject: Type.String(),
    via: Type.String(),
    peer: Text,
    action: Type.String(),
    session_id: Text,
    result: Type.String(),
    detail: Type.Unknown(),
  }),
);

/**
 * `GET /api/v1/audit`: the newest entries first, with `before` (an id) for the next page, and the filters `session_id`,
 * `subject` and `action`.
 */
export function getAudit({ db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const limit = parseWholeNumber("limit", ctx.query["limit"], LIMIT);
    const before = parseWholeNumber("before", ctx.query["before"], BEFORE);
    const sessionId = oneText("session_id", ctx.query["session_id"]);
    if (sessionId !== null && !isUuid(sessionId)) throw validationError("session_id", "must be a UUID");
    const subject = oneText("subject", ctx.query["subject"]);
    const action = oneText("action", ctx.query["action"]);
    const rows = await selectRows(db, parseEntry, FIND, [before, sessionId, subject, action, limit]);
    ctx.body = { entries: rows.map(withoutNulls), has_more: rows.length === limit };
  };
}

function oneText(field: string, value: string | string[] | undefined): string | null {
  if (Array.isArray(value)) throw validationError(field, "must be given once");
  return value ?? null;
}
