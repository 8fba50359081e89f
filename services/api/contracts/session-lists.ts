import { SessionParams } from "../http/common-schemas.ts";
import {
  ActiveSessionsResponse,
  FilterOptionsResponse,
  QueuedSessionsResponse,
  SessionListQuery,
  SessionListResponse,
  SessionStatusResponse,
  SessionSummaryResponse,
} from "../sessions/list-schemas.ts";
import type { RouteContracts } from "./legacy.ts";

/** Which sessions there are, and how they are. */
export const SESSION_LIST_CONTRACTS = {
  "GET /api/v1/sessions": {
    id: "listSessions",
    tag: "sessions",
    summary: "A page of the sessions that the caller may see: sorted, filtered, searched",
    query: SessionListQuery,
    responses: { 200: { description: "the page", schema: SessionListResponse } },
  },
  "GET /api/v1/sessions/active": {
    id: "getActiveSessions",
    tag: "sessions",
    summary: "The sessions that run, and those that wait with their place in the queue",
    responses: { 200: { description: "at most 1,000 of each", schema: ActiveSessionsResponse } },
  },
  "GET /api/v1/sessions/queued": {
    id: "getQueuedSessions",
    tag: "sessions",
    summary: "The sessions that wait, oldest first",
    responses: { 200: { description: "at most 1,000", schema: QueuedSessionsResponse } },
  },
  "GET /api/v1/sessions/filter-options": {
    id: "getFilterOptions",
    tag: "sessions",
    summary: "What the sessions that the caller may see can be filtered by",
    responses: { 200: { description: "at most 500 values of each", schema: FilterOptionsResponse } },
  },
  "GET /api/v1/sessions/:id/status": {
    id: "getSessionStatus",
    tag: "sessions",
    summary: "The status of a session and what it found",
    params: SessionParams,
    responses: { 200: { description: "the status", schema: SessionStatusResponse } },
  },
  "GET /api/v1/sessions/:id/summary": {
    id: "getSessionSummary",
    tag: "sessions",
    summary: "The figures of a session",
    params: SessionParams,
    responses: { 200: { description: "the figures", schema: SessionSummaryResponse } },
  },
} as const satisfies RouteContracts;
