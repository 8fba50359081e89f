import type { RouterMiddleware } from "@koa/router";
import { AccessRefused } from "#shared/access/access-refused.ts";
import { LOOPBACK_HOSTS, hostName } from "#shared/access/allowed-hosts.ts";
import { pageCookieHeader } from "#shared/access/page-credential.ts";
import type { ApiDeps } from "../api-deps.ts";

/** Plain HTTP never leaves this machine under these names; every other one needs TLS in front. */
function isSecureHost(host: string | undefined): boolean {
  return !LOOPBACK_HOSTS.some((name) => name === hostName(host ?? ""));
}

/** `POST /api/v1/page-session`: exchanges a token or an API key for the credential of a page. */
export function signIn({ door, audit }: Pick<ApiDeps, "door" | "audit">): RouterMiddleware {
  return async (ctx) => {
    const peer = door.addressOf(ctx.req);
    try {
      const credential = await door.signIn(ctx.req);
      ctx.set("set-cookie", pageCookieHeader(credential, { secure: isSecureHost(ctx.req.headers.host) }));
      ctx.status = 201;
      ctx.body = { proof: credential.proof, expires_at: new Date(credential.expiresAt).toISOString() };
      audit.record({ action: "page.sign_in", result: "allowed", peer });
    } catch (error) {
      if (error instanceof AccessRefused) {
        audit.record({ action: "page.sign_in", result: "refused", peer, detail: { reason: error.message } });
      }
      throw error;
    }
  };
}

/** `DELETE /api/v1/page-session`: takes the cookie back; what made it stays valid. */
export function signOut(): RouterMiddleware {
  return (ctx) => {
    ctx.set("set-cookie", pageCookieHeader(undefined, { secure: isSecureHost(ctx.req.headers.host) }));
    ctx.status = 204;
  };
}
