import { AccessRefused } from "#shared/access/access-refused.ts";
import { LOOPBACK_HOSTS, hostName } from "#shared/access/allowed-hosts.ts";
import { ACTION_NAMES, allows, seesAll } from "#shared/access/authorize.ts";
import { isPersonal, ROLES } from "#shared/access/identity.ts";
import { pageCookieHeader } from "#shared/access/page-credential.ts";
import { TICKET_SECONDS, createTicket } from "#shared/access/socket-tickets.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { NullableText } from "../http/common-schemas.ts";
import { queryReader } from "../http/query-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import { ACCESS, AuditRecord, AuditQuery } from "./contract.ts";

const readQuery = queryReader(AuditQuery);

const FIND = `
SELECT id, ${isoText("at")} AS at, service, subject, via, peer, action,
       session_id, result, detail
FROM audit_log
WHERE id < $1 AND ($2::uuid IS NULL OR session_id = $2) AND ($3::text IS NULL OR subject = $3)
  AND ($4::text IS NULL OR action = $4)
ORDER BY id DESC LIMIT $5`;
const parseEntry = compileParser(
  "audit row",
  Type.Object({ ...AuditRecord.properties, peer: NullableText, session_id: NullableText }),
);

/** The routes of callers: who they are, how pages and sockets let them in, and what they did. */
export const accessRoutes = ({ config, db, door, audit }: ApiDeps) =>
  routesOf(ACCESS, {
    async readAuditLog(ctx) {
      const { limit, before, session_id, subject, action } = readQuery(ctx.query);
      const rows = await selectRows(db, parseEntry, FIND, [
        before ?? Number.MAX_SAFE_INTEGER,
        session_id ?? null,
        subject ?? null,
        action ?? null,
        limit,
      ]);
      return { entries: rows.map(withoutNulls), has_more: rows.length === limit };
    },

    /** The ticket is offered as the subprotocol `tarsy.ticket.<ticket>` and is valid once. */
    async createTicket(ctx) {
      return { ticket: await createTicket(db, callerOf(ctx).identity), expires_in_seconds: TICKET_SECONDS };
    },

    getMe(ctx) {
      const { identity } = callerOf(ctx);
      const { name, roles, teams } = identity;
      return {
        ...(isPersonal(identity) ? { name } : {}),
        // The action of this route needs a role.
        role: ROLES.findLast((role) => roles.includes(role)) ?? ROLES[0],
        teams,
        signed_in: identity.pageSession !== undefined,
        sees_all: seesAll(identity),
        actions: ACTION_NAMES.filter((action) => allows(identity, action)),
        memory_enabled: config.agents.defaults.memory.enabled,
      };
    },

    /** Exchanges a token or an API key for the credential of a page. */
    async signIn(ctx) {
      const peer = door.addressOf(ctx.req);
      try {
        const credential = await door.signIn(ctx.req);
        ctx.set("set-cookie", pageCookieHeader(credential, { secure: isSecureHost(ctx.req.headers.host) }));
        audit.record({ action: "page.sign_in", result: "allowed", peer });
        return { proof: credential.proof, expires_at: new Date(credential.expiresAt).toISOString() };
      } catch (error) {
        if (error instanceof AccessRefused) {
          audit.record({
            action: "page.sign_in",
            result: "refused",
            peer,
            detail: { reason: error.message },
          });
        }
        throw error;
      }
    },

    /** Takes the cookie back; what made it stays valid. */
    signOut(ctx) {
      ctx.set("set-cookie", pageCookieHeader(undefined, { secure: isSecureHost(ctx.req.headers.host) }));
    },
  });

/** Plain HTTP never leaves this machine under these names; every other one needs TLS in front. */
function isSecureHost(host: string | undefined): boolean {
  return !LOOPBACK_HOSTS.some((name) => name === hostName(host ?? ""));
}
