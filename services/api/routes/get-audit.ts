import { isoText } from "#shared/database/iso-text.ts";
import type { RouterMiddleware } from "@koa/router";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { queryReader } from "../http/query-reader.ts";
import { AuditQuery } from "../schemas/audit.ts";
import { withoutNulls } from "../http/without-nulls.ts";

const readQuery = queryReader(AuditQuery);

const FIND = `
SELECT id, ${isoText("at")} AS at, service, subject, via, peer, action,
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
    const { limit, before, session_id, subject, action } = readQuery(ctx.query);
    const values = [
      before ?? Number.MAX_SAFE_INTEGER,
      session_id ?? null,
      subject ?? null,
      action ?? null,
      limit,
    ];
    const rows = await selectRows(db, parseEntry, FIND, values);
    ctx.body = { entries: rows.map(withoutNulls), has_more: rows.length === limit };
  };
}
