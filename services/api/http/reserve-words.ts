import type { Middleware } from "koa";
import { notFound } from "./request-error.ts";
import type { Route } from "./routes-of.ts";

/**
 * Keeps the fixed words under this path from being taken for the id of the routes that stand behind them: a method that such
 * a path does not have is answered with 405 and those that it has, and a word that only begins a path with 404.
 */
export function reserveWords(prefix: string, routes: readonly Pick<Route, "method" | "path">[]): Middleware {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const [word = "", ...rest] = path.startsWith(`${prefix}/`)
      ? path.slice(prefix.length + 1).split("/")
      : [];
    if (word === "" || word.startsWith(":")) continue;
    const known = methods.get(word) ?? new Set();
    const own = method === "get" ? ["HEAD", "GET"] : [method.toUpperCase()];
    for (const one of rest.length === 0 ? own : []) known.add(one);
    methods.set(word, known);
  }
  return async (ctx, next) => {
    const known = ctx.path.startsWith(`${prefix}/`)
      ? methods.get(ctx.path.slice(prefix.length + 1))
      : undefined;
    if (known === undefined || known.has(ctx.method)) {
      await next();
      return;
    }
    if (known.size === 0) throw notFound();
    ctx.set("allow", [...known].join(", "));
    ctx.status = ctx.method === "OPTIONS" ? 200 : 405;
    if (ctx.method === "OPTIONS") ctx.body = "";
  };
}
