import type { RouterMiddleware } from "@koa/router";
import type { Middleware } from "koa";
import type { Action } from "#shared/access/authorize.ts";

/** A row of the table of routes. */
export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  /** What it needs a role for; undefined if every caller may use it. */
  readonly action: Action | undefined;
  /** Who gets in, where that is not decided by the action's role alone. */
  readonly access?: Middleware;
  readonly handle: RouterMiddleware;
}
