import type { RouterMiddleware } from "@koa/router";
import { TICKET_SECONDS, createTicket as storeTicket } from "#shared/access/socket-tickets.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";

/**
 * `POST /api/v1/ws-ticket`: a ticket for one WebSocket of the caller, for clients that cannot send headers with it. It is
 * offered as the subprotocol `tarsy.ticket.<ticket>` and is valid once, for 30 s.
 */
export function createTicket({ db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    ctx.body = { ticket: await storeTicket(db, callerOf(ctx).identity), expires_in_seconds: TICKET_SECONDS };
    ctx.status = 201;
  };
}
