import type { Readable } from "node:stream";
import type { RouterContext, RouterMiddleware } from "@koa/router";
import type { Middleware } from "koa";
import type { Static, TSchema } from "typebox";
import type { Endpoint, Endpoints } from "./endpoint.ts";

/** A route that the api serves. */
export interface Route extends Endpoint {
  /** The name of the operation. */
  readonly id: string;
  /** Who gets in, where that is not decided by the action's role alone. */
  readonly access?: Middleware | undefined;
  readonly handle: RouterMiddleware;
}

/** A value as a handler may return it for this JSON: a Date stands for its text. */
type Sent<T> = T extends string
  ? T | (string extends T ? Date : never)
  : T extends readonly (infer I)[]
    ? readonly Sent<I>[]
    : T extends object
      ? { readonly [K in keyof T]: Sent<T[K]> }
      : T;

type AnswerOf<R> = R extends { readonly schema: infer S extends TSchema } ? Sent<Static<S>> : void;

/** What a handler answers: the body of one of the responses, a stream, or JSON text that is ready to be sent. */
type Answer<E extends Endpoint> =
  | { [S in keyof E["responses"]]: AnswerOf<E["responses"][S]> }[keyof E["responses"]]
  | Readable
  | Buffer;

type Handler<E extends Endpoint> = (ctx: RouterContext) => Answer<E> | Promise<Answer<E>>;

/**
 * The routes of a resource: each endpoint with the handler of its name, whose answer becomes the body. `access` has the endpoints whose
 * callers get in by other rules than the action's role.
 */
export function routesOf<E extends Endpoints>(
  contract: E,
  handlers: { readonly [K in keyof E]: Handler<E[K]> },
  access: { readonly [K in string & keyof E]?: Middleware } = {},
): readonly Route[] {
  const accesses: Readonly<Record<string, Middleware | undefined>> = access;
  const all: Readonly<Record<string, (ctx: RouterContext) => unknown>> = handlers;
  return Object.entries(contract).map(([id, endpoint]) => {
    const [status] = Object.keys(endpoint.responses);
    return {
      ...endpoint,
      id,
      access: accesses[id],
      async handle(ctx) {
        ctx.status = Number(status);
        const answer = await all[id]?.(ctx);
        if (answer !== undefined) ctx.body = answer;
      },
    };
  });
}
