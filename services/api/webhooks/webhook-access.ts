import { AccessRefused, unauthenticated } from "#shared/access/access-refused.ts";
import { bearerToken } from "#shared/access/authenticate.ts";
import type { Identity } from "#shared/access/identity.ts";
import { secretEquals } from "#shared/access/secret-equals.ts";
import { coerceError } from "#shared/errors.ts";
import type { Middleware } from "koa";
import type { IncomingHttpHeaders } from "node:http";
import type { ApiDeps } from "../api-deps.ts";
import { allow, isRefusal } from "../http/access.ts";
import { setCaller } from "../http/caller.ts";
import { RequestError, abbreviate } from "../http/request-error.ts";

/** The source that a request names, which is the last part of its path. */
export function sourceOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Lets a source of alerts in: with its own token, or with a credential of the api that may submit alerts. What signs its requests is let
 * through, and `receiver` checks the signature. Limits are answered with 503 and never with 429, because senders of alerts repeat the
 * one and drop the alert after the other. A wrong token and a wrong signature are failed attempts of their address, like a wrong
 * credential of the api.
 */
export function webhookAccess(deps: ApiDeps): Middleware {
  const { config, door } = deps;
  const other = allow(deps, "alert.submit");
  const accesses = new Map(
    [...config.webhooks].map(([source, { verification }]) => {
      const own = allowSource(deps, source);
      const refuse = recordRefusals(deps, source, async (ctx) => {
        await door.attempt(ctx.req, () => {
          throw unauthenticated(`the token is not that of the webhook '${source}'`);
        });
      });
      const accessOf = (headers: IncomingHttpHeaders): Middleware => {
        if (verification === undefined) return other;
        if (verification.type !== "token") return own;
        const given = givenSecret(headers, verification.header);
        if (given === undefined) return other;
        if (secretEquals(given, verification.secret)) return own;
        // What is checked nowhere else.
        const isLast = headers.authorization === undefined || config.access.auth.mode === "loopback";
        return isLast ? refuse : other;
      };
      return [source, accessOf] as const;
    }),
  );
  return async (ctx, next) => {
    try {
      await (accesses.get(sourceOf(ctx))?.(ctx.req.headers) ?? other)(ctx, next);
    } catch (error) {
      throw asUnavailable(error);
    }
  };
}

/** Lets a request through as one of the source's own. */
function allowSource(deps: Pick<ApiDeps, "door" | "audit">, source: string): Middleware {
  return recordRefusals(deps, source, async (ctx, next) => {
    setCaller(ctx.req, { identity: sender(source), peer: deps.door.addressOf(ctx.req) });
    await next();
  });
}

/** Records what `access` or the route behind it refuses in the audit log, as `allow` does for the api's own credentials. */
function recordRefusals(
  { door, audit }: Pick<ApiDeps, "door" | "audit">,
  source: string,
  access: Middleware,
): Middleware {
  return async (ctx, next) => {
    try {
      await access(ctx, next);
    } catch (error) {
      if (isRefusal(error)) {
        audit.record({
          action: "alert.submit",
          result: "refused",
          // A request that is not signed, or has another token, comes from anybody.
          identity: error instanceof AccessRefused ? undefined : sender(source),
          peer: door.addressOf(ctx.req),
          detail: { webhook: source, reason: coerceError(error).message },
        });
      }
      throw error;
    }
  };
}

/** 503 in place of 429, with the time after which the request may succeed. */
function asUnavailable(error: unknown): unknown {
  const isRefused = error instanceof AccessRefused || error instanceof RequestError;
  if (!isRefused || error.status !== 429) return error;
  const seconds =
    error instanceof RequestError ? error.retryAfterSeconds : Number(error.headers["retry-after"] ?? 1);
  return new RequestError(503, error.message, { retryAfterSeconds: seconds ?? 1, closesConnection: true });
}

function sender(source: string): Identity {
  return { subject: source, name: source, roles: ["submitter"], teams: [], via: "webhook" };
}

/** What is in the source's header, else the bearer token, or the password of basic authentication; its user does not matter. */
function givenSecret(headers: IncomingHttpHeaders, header: string | undefined): string | undefined {
  const own = header === undefined ? undefined : headers[header.toLowerCase()];
  if (own !== undefined) return String(own);
  const bearer = bearerToken(headers);
  if (bearer !== undefined) return bearer;
  const basic = /^basic +(?<encoded>[\w+/=-]+)$/iu.exec(headers.authorization ?? "")?.groups?.["encoded"];
  if (basic === undefined) return undefined;
  const decoded = Buffer.from(basic, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon === -1 ? undefined : decoded.slice(colon + 1);
}

/** 404: the webhook is off. */
export function notConfigured(source: string): RequestError {
  const add = ["alertmanager", "raw"].includes(source)
    ? `system.webhooks.${source}`
    : `an entry of system.webhooks.sources with the name '${abbreviate(source)}'`;
  return new RequestError(404, `the webhook is off: add ${add} to tarsy.yaml`);
}
