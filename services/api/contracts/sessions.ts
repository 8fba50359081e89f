import type { RouteContracts } from "./legacy.ts";
import { SessionParams, AtSeqQuery } from "../http/common-schemas.ts";
import { CancelResponse } from "../schemas/session-changes.ts";
import { EventsHeaders, EventsQuery, EventsResponse } from "../schemas/session-events.ts";
import { TimelineResponse } from "../schemas/timeline.ts";
import { SessionOverviewResponse, SessionResponse } from "../views/session-schema.ts";

/** What is known of sessions, and how they are ended. */
export const SESSION_CONTRACTS = {
  "GET /api/v1/sessions/:id": {
    id: "getSession",
    tag: "sessions",
    summary: "A session with its stages, executions and timeline",
    params: SessionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the session, read from one snapshot", schema: SessionResponse } },
    errors: [409],
  },
  "GET /api/v1/sessions/:id/overview": {
    id: "getSessionOverview",
    tag: "sessions",
    summary: "A session with its stages and executions, without its timeline: small however long it worked",
    params: SessionParams,
    query: AtSeqQuery,
    responses: {
      200: { description: "the session, read from one snapshot", schema: SessionOverviewResponse },
    },
    errors: [409],
  },
  "DELETE /api/v1/sessions/:id": {
    id: "deleteSession",
    tag: "sessions",
    summary: "Erase a session that has ended",
    params: SessionParams,
    responses: { 204: { description: "the session is hidden, and its rows are removed soon" } },
    errors: [409],
  },
  "GET /api/v1/sessions/:id/events": {
    id: "getEvents",
    tag: "sessions",
    summary: "The stored events of a session, as a page or as an event stream",
    params: SessionParams,
    query: EventsQuery,
    headers: EventsHeaders,
    responses: {
      200: {
        description: "a page, or with `Accept: text/event-stream` all events and then the live ones",
        schema: EventsResponse,
        or: "text/event-stream",
      },
      204: { description: "to an event stream: the session is over, and no event follows" },
    },
    errors: [410],
  },
  "GET /api/v1/sessions/:id/timeline": {
    id: "getTimeline",
    tag: "sessions",
    summary: "The timeline of a session, in order",
    params: SessionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the timeline", schema: TimelineResponse } },
    errors: [409],
  },
  "POST /api/v1/sessions/:id/cancel": {
    id: "cancelSession",
    tag: "sessions",
    summary: "Cancel a session that has not ended",
    params: SessionParams,
    responses: { 200: { description: "the session ends within seconds", schema: CancelResponse } },
    errors: [409],
  },
} as const satisfies RouteContracts;
