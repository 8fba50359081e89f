import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { knownDestinations } from "../notifications/known-destinations.ts";
import { outboxWarnings } from "../notifications/outbox-warnings.ts";
import { readOutboxState } from "../notifications/read-outbox-state.ts";
import type { ServerStates } from "../system/server-states.ts";
import { queueWarnings, systemWarnings } from "../system/system-warnings.ts";

type Deps = Pick<ApiDeps, "config" | "db" | "dispatcher"> & { readonly states: Pick<ServerStates, "read"> };

/** `GET /api/v1/system/warnings`: what an operator should look at, from the configuration, the tool-runners, the outbox and the streams. */
export function getWarnings(
  { config, db, dispatcher, states }: Deps,
  now = () => new Date(),
): RouterMiddleware {
  const { agents, stubbedServers, notifications } = config;
  const startedAt = now().toISOString();
  const known = knownDestinations(notifications);
  return async (ctx) => {
    const [servers, outbox] = await Promise.all([states.read(), readOutboxState(db)]);
    ctx.body = {
      warnings: [
        ...systemWarnings({ agents, stubbedServers, states: servers, startedAt, now: now() }),
        ...outboxWarnings(outbox, known, startedAt),
        ...queueWarnings(dispatcher.streams.refused),
      ],
    };
  };
}
