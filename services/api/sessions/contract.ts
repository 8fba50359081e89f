import { Uuid } from "#shared/contracts/uuid.ts";
import { WireEventSchema } from "#shared/contracts/wire-event.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SessionParams, AtSeqQuery } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";
import {
  ActiveSessionsResponse,
  FilterOptionsResponse,
  QueuedSessionsResponse,
  SessionListQuery,
  SessionListResponse,
  SessionStatusResponse,
  SessionSummaryResponse,
} from "./list-schemas.ts";
import { SessionOverviewResponse, SessionResponse, TimelineItem } from "./session-schema.ts";

/** An entry of the timeline as clients of the contract see it. */
const TimelineEntry = Type.Object(
  {
    id: Uuid,
    ...TimelineItem.properties,
    stage_id: Type.Optional(Uuid),
    execution_id: Type.Optional(Uuid),
    content: Type.Optional(Type.String({ description: "absent where empty" })),
    edges: Type.Object({}),
  },
  { title: "TimelineEntry" },
);

const TimelineResponse = Type.Array(TimelineEntry);

/** `GET /api/v1/sessions/:id/events?…` */
export const EventsQuery = Type.Object({
  after_seq: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    default: 0,
    description: "only events after this one",
  }),
  until_seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: "only events up to this one, which the session must have; a stream ends with it",
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 200,
    description: "at most this many, and fewer if they exceed 8 MiB",
  }),
  follow: Type.Optional(
    Type.Enum(["session", "all"], {
      description: "for event streams: `all` goes on after the session's end, e.g. with answers in its chat",
    }),
  ),
});

const EventsResponse = Type.Object({
  session_id: Uuid,
  events: Type.Array(WireEventSchema),
  last_seq: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
});

const EventsHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: "for event streams: takes precedence over after_seq",
    }),
  ),
});

const CancelResponse = Type.Object({ session_id: Uuid, message: Type.String() });

/** What is known of sessions, and how they are ended. */
export const SESSIONS = {
  listSessions: {
    method: "get",
    path: "/api/v1/sessions",
    action: "session.read",
    tag: "sessions",
    summary: "A page of the sessions that the caller may see: sorted, filtered, searched",
    query: SessionListQuery,
    responses: { 200: { description: "the page", schema: SessionListResponse } },
  },
  getActiveSessions: {
    method: "get",
    path: "/api/v1/sessions/active",
    action: "session.read",
    tag: "sessions",
    summary: "The sessions that run, and those that wait with their place in the queue",
    responses: { 200: { description: "at most 1,000 of each", schema: ActiveSessionsResponse } },
  },
  getQueuedSessions: {
    method: "get",
    path: "/api/v1/sessions/queued",
    action: "session.read",
    tag: "sessions",
    summary: "The sessions that wait, oldest first",
    responses: { 200: { description: "at most 1,000", schema: QueuedSessionsResponse } },
  },
  getFilterOptions: {
    method: "get",
    path: "/api/v1/sessions/filter-options",
    action: "session.read",
    tag: "sessions",
    summary: "What the sessions that the caller may see can be filtered by",
    responses: { 200: { description: "at most 500 values of each", schema: FilterOptionsResponse } },
  },
  getSessionStatus: {
    method: "get",
    path: "/api/v1/sessions/:id/status",
    action: "session.read",
    tag: "sessions",
    summary: "The status of a session and what it found",
    params: SessionParams,
    responses: { 200: { description: "the status", schema: SessionStatusResponse } },
  },
  getSessionSummary: {
    method: "get",
    path: "/api/v1/sessions/:id/summary",
    action: "session.read",
    tag: "sessions",
    summary: "The figures of a session",
    params: SessionParams,
    responses: { 200: { description: "the figures", schema: SessionSummaryResponse } },
  },
  getSession: {
    method: "get",
    path: "/api/v1/sessions/:id",
    action: "session.read",
    tag: "sessions",
    summary: "A session with its stages, executions and timeline",
    params: SessionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the session, read from one snapshot", schema: SessionResponse } },
    errors: [409],
  },
  getSessionOverview: {
    method: "get",
    path: "/api/v1/sessions/:id/overview",
    action: "session.read",
    tag: "sessions",
    summary: "A session with its stages and executions, without its timeline: small however long it worked",
    params: SessionParams,
    query: AtSeqQuery,
    responses: {
      200: { description: "the session, read from one snapshot", schema: SessionOverviewResponse },
    },
    errors: [409],
  },
  deleteSession: {
    method: "delete",
    path: "/api/v1/sessions/:id",
    action: "session.delete",
    tag: "sessions",
    summary: "Erase a session that has ended",
    params: SessionParams,
    responses: { 204: { description: "the session is hidden, and its rows are removed soon" } },
    errors: [409],
  },
  getEvents: {
    method: "get",
    path: "/api/v1/sessions/:id/events",
    action: "session.read",
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
  getTimeline: {
    method: "get",
    path: "/api/v1/sessions/:id/timeline",
    action: "session.read",
    tag: "sessions",
    summary: "The timeline of a session, in order",
    params: SessionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the timeline", schema: TimelineResponse } },
    errors: [409],
  },
  cancelSession: {
    method: "post",
    path: "/api/v1/sessions/:id/cancel",
    action: "session.cancel",
    tag: "sessions",
    summary: "Cancel a session that has not ended",
    params: SessionParams,
    responses: { 200: { description: "the session ends within seconds", schema: CancelResponse } },
    errors: [409],
  },
} as const satisfies Endpoints;
