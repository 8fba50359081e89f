import type { IncomingMessage } from "node:http";
import type { Middleware } from "koa";
import { AccessRefused } from "#shared/access/access-refused.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import { authorize, type Action } from "#shared/access/authorize.ts";
import type { Door } from "#shared/access/door.ts";
import type { Identity } from "#shared/access/identity.ts";
import { coerceError } from "#shared/errors.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { RULES_OF_NAMES } from "#shared/masking/masking-rules.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { auditedAs, setCaller, type Caller } from "./caller.ts";
import { RequestError, isHiddenSession } from "./request-error.ts";

interface AccessDeps {
  readonly door: Door;
  readonly audit: AuditLog;
  readonly masker: Pick<Masker, "mask">;
}

const CORS_ALLOWED = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, last-event-id",
  "access-control-max-age": "600",
};
const CORS_EXPOSED = "idempotent-replayed, retry-after, www-authenticate";

/** Lets requests in that name this server and come from a page that may use it; answers the browser's preflights. */
export function checkSite({ door, audit, masker }: AccessDeps): Middleware {
  return async (ctx, next) => {
    let origin: string | undefined;
    try {
      origin = door.checkSite(ctx.req);
    } catch (error) {
      // Each part stands in a line of its own, as what it is by itself. What is cut might not be known any more.
      const parts = ctx.path.split("/").map(decoded).join("\n");
      const path = (await maskOrWithhold(masker, parts, RULES_OF_NAMES)).replaceAll("\n", "/");
      const detail = { path: path.slice(0, safeCut(path, 200)), reason: coerceError(error).message };
      audit.record({ action: "request", result: "refused", peer: door.addressOf(ctx.req), detail });
      throw error;
    }
    ctx.vary("origin");
    if (origin !== undefined) {
      ctx.set({ "access-control-allow-origin": origin, "access-control-expose-headers": CORS_EXPOSED });
      // Pages of files and sandboxed frames of any site have the origin `null`: none of them acts with the user's cookies.
      if (origin !== "null") ctx.set("access-control-allow-credentials", "true");
      if (ctx.method === "OPTIONS" && ctx.get("access-control-request-method") !== "") {
        ctx.set(CORS_ALLOWED);
        ctx.status = 204;
        return;
      }
    }
    await next();
  };
}

/** Recorded also when they are allowed; refusals always are. A submission is recorded with the session that it stores. */
const AUDITED: ReadonlySet<Action> = new Set<Action>([
  "session.cancel",
  "session.fork",
  "session.review",
  "session.delete",
  "approval.decide",
  "trace.read",
  "config.read",
  "session.steer",
  "session.park",
  "session.resume",
  "session.score",
  "session.chat",
  "memory.change",
  "budget.change",
  "notification.retry",
  "mcp.connect",
  "audit.read",
]);

/** These change more than TARSy's own data: it must be certain who does it. */
const NEEDS_CREDENTIAL: ReadonlySet<Action> = new Set<Action>(["approval.decide"]);

/**
 * Lets requests through to a route that may do what it does. Their tokens may also be for `audience`. Throws AccessRefused, and database
 * errors.
 */
export function allow(deps: AccessDeps, action: Action, audience?: string): Middleware {
  const { door, audit, masker } = deps;
  const named = maskNames(masker);
  return async (ctx, next) => {
    const peer = door.addressOf(ctx.req);
    const identity = await door.identify(ctx.req, audience).catch((error: unknown) => {
      if (isRefusal(error)) {
        audit.record({ action, result: "refused", peer, detail: { reason: coerceError(error).message } });
      }
      throw error;
    });
    const caller = setCaller(ctx.req, { identity: await named(identity), peer });
    await perform(deps, action, { caller, request: ctx.req }, next);
  };
}

/** Who asks for something, in which request. */
interface Asked {
  readonly caller: Caller;
  readonly request: IncomingMessage;
}

/**
 * Does something for a caller who may do it, and records it in the audit log. Rejects with AccessRefused, database errors, and as `work`
 * does.
 */
export async function perform<T>(
  { door, audit }: Pick<AccessDeps, "door" | "audit">,
  action: Action,
  { caller, request }: Asked,
  work: () => Promise<T>,
): Promise<T> {
  const record = (result: "allowed" | "refused", more: object = {}) => {
    const { peer, sessionId, detail } = caller;
    const merged = { ...detail, ...more };
    const entry = { action, result, identity: auditedAs(caller), peer, sessionId };
    audit.record({ ...entry, detail: Object.keys(merged).length === 0 ? undefined : merged });
  };
  try {
    authorize(caller.identity, action);
    if (NEEDS_CREDENTIAL.has(action)) await door.checkCredential(request);
    const result = await work();
    if (AUDITED.has(action) && caller.isAsking !== true) record("allowed");
    return result;
  } catch (error) {
    if (isRefusal(error)) record("refused", { reason: coerceError(error).message });
    throw error;
  }
}

/** Percent-encoding would hide what stands around a secret. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Masks the name of an identity in the mode in which nothing vouches for it: any text may stand in its header. Most requests
 * have the name of the one before.
 */
function maskNames(masker: AccessDeps["masker"]): (identity: Identity) => Promise<Identity> {
  let last = { name: "", masked: "" };
  return async (identity) => {
    const { name, via } = identity;
    if (via !== "loopback") return identity;
    if (name !== last.name) last = { name, masked: await maskOrWithhold(masker, name, RULES_OF_NAMES) };
    return { ...identity, name: last.masked };
  };
}

/** Whether a request failed because of what its caller may do, which the audit log records. */
export function isRefusal(error: unknown): boolean {
  const isShareUsed = error instanceof RequestError && error.status === 429;
  return isShareUsed || isHiddenSession(error) || (error instanceof AccessRefused && error.status !== 503);
}
