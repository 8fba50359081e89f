import koaCompress from "koa-compress";
import type { Middleware } from "koa";
import { constants } from "node:zlib";

const JSON_TYPE = "application/json";
/** Smaller answers fit into one packet anyway. */
const MIN_BYTES = 1_024;
/**
 * Of a page of 1,000 events (542 kB) Brotli at this quality leaves 61 kB for 6 ms of a core, gzip at this level 91 kB for 9 ms; both run
 * in threads beside the one that answers. The levels that the formats have by default take 7 and 13 ms for 1 and 6 kB less.
 */
const LEVELS = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
  gzip: { level: 4 },
  // Browsers that know zstd know Brotli, which leaves less; Node calls its zstd experimental.
  zstd: false,
  deflate: false,
} as const;

/**
 * Compresses JSON answers of 1 KiB and more with Brotli or gzip, as the client accepts it. Everything else passes as it is: event streams,
 * of which each event must leave at once; files of the page, which are compressed when they are built; answers to HEAD.
 */
export function compressJson(): Middleware {
  const compress = koaCompress({ filter: (type) => type === JSON_TYPE, threshold: MIN_BYTES, ...LEVELS });
  return async (ctx, next) => {
    await compress(ctx, async () => {
      await next();
      // Koa would write the text once for its length and once more to send it: 3 ms each for such a page.
      if (ctx.type === JSON_TYPE && isPlain(ctx.body)) ctx.body = JSON.stringify(ctx.body);
    });
  };
}

function isPlain(body: unknown): boolean {
  return Array.isArray(body) || (typeof body === "object" && body?.constructor === Object);
}
