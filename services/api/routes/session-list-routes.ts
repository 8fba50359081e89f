import type { ApiDeps } from "../api-deps.ts";
import { getEvents } from "../sessions/get-events.ts";
import { getTimeline } from "./get-timeline.ts";
import { getFilterOptions } from "../sessions/filter-options.ts";
import { getSessionStatus, getSessionSummary } from "../sessions/read-outcome.ts";
import { getActiveSessions, getQueuedSessions } from "./get-unfinished-sessions.ts";
import { listSessionsRoute } from "../sessions/routes.ts";

/** The routes that read sessions and their lists, to stand before those with an id, which would take the last part of these for one. */
export function sessionListRoutes(deps: ApiDeps) {
  const sessions = "/api/v1/sessions";
  const route = { method: "get", action: "session.read" } as const;
  return [
    { ...route, path: sessions, handle: listSessionsRoute(deps) },
    { ...route, path: `${sessions}/active`, handle: getActiveSessions(deps) },
    { ...route, path: `${sessions}/queued`, handle: getQueuedSessions(deps) },
    { ...route, path: `${sessions}/filter-options`, handle: getFilterOptions(deps) },
    { ...route, path: `${sessions}/:id/status`, handle: getSessionStatus(deps) },
    { ...route, path: `${sessions}/:id/summary`, handle: getSessionSummary(deps) },
    { ...route, path: `${sessions}/:id/events`, handle: getEvents(deps) },
    { ...route, path: `${sessions}/:id/timeline`, handle: getTimeline(deps) },
  ];
}
