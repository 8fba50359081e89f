import type { Context, Middleware } from "koa";
import { RequestError } from "../http/request-error.ts";
import { PAGE_HEADERS } from "./page-headers.ts";
import type { PageFile, PageFiles } from "./page-files.ts";

/** The addresses of the screens; the script of the page decides which one it shows. */
export const SCREEN_PATH =
  /^\/(?:new|system|usage|memories|triage|handover|compare(?:\/[^/]+){0,2}|(?:s|sessions)\/[^/]+(?:\/trace)?)?$/u;
const ASSETS = "/assets/";
const READS = new Set(["GET", "HEAD"]);
const NOT_BUILT = "This api has no page: run `npm run build:web` beside it. The API itself is at /api/v1.\n";

/**
 * `GET /` and the other screens: the page; `GET /assets/…`: its scripts and styles. Passes everything else on; where no route
 * answers a browser that opens an address outside of the API, the page says with status 404 that there is no such screen.
 */
export function servePage(files: Pick<PageFiles, "index" | "asset">): Middleware {
  return async (ctx, next) => {
    const isScreen = SCREEN_PATH.test(ctx.path);
    if (!READS.has(ctx.method) || !(isScreen || ctx.path.startsWith(ASSETS))) {
      await next();
      const index = isUnknownScreen(ctx) ? await files.index() : undefined;
      if (index !== undefined) answerScreen(ctx, index, 404);
      return;
    }
    ctx["_matchedRoute"] = isScreen ? "page" : "page assets";
    if (isScreen) answerScreen(ctx, await files.index(), 200);
    else answerAsset(ctx, await files.asset(ctx.path));
  };
}

function isUnknownScreen(ctx: Context): boolean {
  const isUnrouted = ctx.status === 404 && ctx.body === undefined;
  return (
    isUnrouted &&
    READS.has(ctx.method) &&
    !ctx.path.startsWith("/api/") &&
    ctx.get("accept").includes("text/html")
  );
}

function answerScreen(ctx: Context, index: PageFile | undefined, status: 200 | 404): void {
  if (index === undefined) {
    ctx.status = 503;
    ctx.body = NOT_BUILT;
    return;
  }
  ctx.set(PAGE_HEADERS);
  ctx.set("cache-control", "no-cache");
  answer(ctx, index, status);
}

function answerAsset(ctx: Context, asset: PageFile | undefined): void {
  if (asset === undefined) throw new RequestError(404, "Not Found");
  // Its name changes with its content.
  ctx.set("cache-control", "public, max-age=31536000, immutable");
  answer(ctx, asset, 200);
}

function answer(ctx: Context, { type, hash, content }: PageFile, status: 200 | 404): void {
  // Browsers name gzip first and take br, which is smaller.
  const encoding =
    (["br", "gzip"] as const).find((form) => ctx.acceptsEncodings(form) === form) ?? "identity";
  ctx.vary("accept-encoding");
  ctx.status = status;
  ctx.etag = `${hash}-${encoding}`;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  if (encoding !== "identity") ctx.set("content-encoding", encoding);
  ctx.body = content[encoding];
}
