import { createHash } from "node:crypto";
import type { Context } from "koa";
import { AccessRefused } from "#shared/access/access-refused.ts";
import { cookieOf } from "#shared/access/page-credential.ts";
import { PageSessions } from "#shared/access/page-sessions.ts";
import type { ApiDeps } from "../api-deps.ts";
import { failureOf } from "../http/error-handler.ts";
import { queryReader } from "../http/query-reader.ts";
import { validationError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { SIGN_IN, StartQuery } from "./contract.ts";
import { FLOW_SECONDS, type SignInSettings } from "./read-sign-in.ts";

const readQuery = queryReader(StartQuery);

/** One cookie for each sign-in, so that several tabs can sign in at once. */
const FLOW_COOKIE = "tarsy_flow_";
/** Beyond these a browser's headers would become too large for the api. */
const MAX_FLOWS = 5;
const STATE = /^[\w-]{43}$/u;

const STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}";
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Of the page of a refusal: nothing but its own style. */
const REFUSAL_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`;

/** The routes with which people sign in to the page, and out. */
export function signInRoutes(settings: SignInSettings, { db, door, audit, log }: ApiDeps) {
  // Loaded with the first sign-in: installations without one do not pay for it.
  const load = async () => new (await import("./identity-provider.ts")).IdentityProvider(settings, log);
  let loading: ReturnType<typeof load> | undefined;
  const provider = async () => (loading ??= load());
  const sessions = new PageSessions(db);
  /** Answers a browser that is not let on with a page. */
  const forBrowser = async (ctx: Context, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!ctx.get("accept").includes("text/html")) throw error;
      const { status, headers, message } = failureOf(error, log, ctx.path);
      ctx.status = status;
      ctx.set({ ...headers, "content-security-policy": REFUSAL_POLICY });
      ctx.type = "html";
      ctx.body = refusalPage(message);
    }
  };
  return routesOf(SIGN_IN, {
    async startSignIn(ctx) {
      await forBrowser(ctx, async () => {
        const to = addressOf(readQuery(ctx.query).to, settings);
        const { url, state, flow } = await (await provider()).begin(to);
        // Browsers send the oldest first.
        const left = flowsOf(ctx.get("cookie")).slice(0, 1 - MAX_FLOWS);
        for (const other of left) ctx.append("set-cookie", flowCookie(other));
        ctx.append("set-cookie", flowCookie(state, flow));
        redirect(ctx, url);
      });
    },

    async finishSignIn(ctx) {
      const peer = door.addressOf(ctx.req);
      await forBrowser(ctx, async () => {
        const { state } = ctx.query;
        const name = typeof state === "string" && STATE.test(state) ? state : "";
        try {
          const { identity, idToken, to } = await door.attempt(ctx.req, async () =>
            (await provider()).finish(ctx.querystring, cookieOf(ctx.req.headers, FLOW_COOKIE + name)),
          );
          ctx.append("set-cookie", flowCookie(name));
          ctx.append("set-cookie", await sessions.open(identity, idToken));
          audit.record({ action: "page.sign_in", result: "allowed", identity, peer });
          redirect(ctx, to);
        } catch (error) {
          if (error instanceof AccessRefused && error.status !== 503) {
            const detail = { reason: error.message };
            audit.record({ action: "page.sign_in", result: "refused", peer, detail });
          }
          throw error;
        }
      });
    },

    async endSignIn(ctx) {
      const { cookie, idToken } = await sessions.end(ctx.req.headers);
      ctx.set("set-cookie", cookie);
      return { url: await (await provider()).endUrl(idToken ?? "") };
    },
  });
}

/** The address of a path of the page. Throws RequestError 400 for one that leads elsewhere, as `//evil.example` does. */
function addressOf(path: string, { publicUrl }: SignInSettings): string {
  const url = path.startsWith("/") ? URL.parse(path, publicUrl) : null;
  if (url?.origin !== publicUrl) throw validationError("to", "must be a path of the page, such as /triage");
  return url.href;
}

function redirect(ctx: Context, url: string): void {
  ctx.set("location", url);
  ctx.body = "";
}

/** The states of the sign-ins that a browser has begun. */
function flowsOf(cookies: string): readonly string[] {
  return [...cookies.matchAll(/\btarsy_flow_([\w-]{43})=/gu)].map(([, state = ""]) => state);
}

/** Only these routes get it. It is a cookie of a navigation from the provider's site, so it cannot be strict. */
function flowCookie(state: string, flow?: string): string {
  const age = flow === undefined ? 0 : FLOW_SECONDS;
  return `${FLOW_COOKIE}${state}=${flow ?? ""}; Path=/api/v1/auth; Max-Age=${age}; HttpOnly; Secure; SameSite=Lax`;
}

/** A page with one sentence, for people who are not signed in. */
export function refusalPage(message: string): string {
  const text = message.replaceAll(/[&<>"]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Not signed in – TARSy</title><style>${STYLE}</style>
<h1>Not signed in</h1><p>${text.charAt(0).toUpperCase()}${text.slice(1)}.</p><p><a href="/">Back to TARSy</a></p></html>
`;
}
