import { SessionParams } from "../http/common-schemas.ts";
import {
  InjectedMemoriesResponse,
  MemoryBody,
  MemoryListResponse,
  MemoryPageResponse,
  MemoryParams,
  MemoryQuery,
  MemoryView,
} from "../schemas/memories.ts";
import type { RouteContracts } from "./legacy.ts";

/** What was learned from sessions. */
export const MEMORY_CONTRACTS = {
  "GET /api/v1/sessions/:id/memories": {
    id: "listSessionMemories",
    tag: "memories",
    summary: "What was learned from a session",
    params: SessionParams,
    responses: { 200: { description: "at most 1,000, oldest first", schema: MemoryListResponse } },
  },
  "GET /api/v1/sessions/:id/injected-memories": {
    id: "listInjectedMemories",
    tag: "memories",
    summary: "What the agents of a session were told of earlier ones",
    params: SessionParams,
    responses: { 200: { description: "at most 1,000, in their order", schema: InjectedMemoriesResponse } },
  },
  "GET /api/v1/memories": {
    id: "listMemories",
    tag: "memories",
    summary: "A page of what was learned from the sessions that the caller may see, newest first",
    query: MemoryQuery,
    responses: { 200: { description: "the page", schema: MemoryPageResponse } },
  },
  "GET /api/v1/memories/:memory": {
    id: "getMemory",
    tag: "memories",
    summary: "One memory",
    params: MemoryParams,
    responses: { 200: { description: "the memory", schema: MemoryView } },
  },
  "PATCH /api/v1/memories/:memory": {
    id: "changeMemory",
    tag: "memories",
    summary: "Correct a memory, or decide whether agents are told of it",
    params: MemoryParams,
    body: { schema: MemoryBody, example: { deprecated: true } },
    responses: { 200: { description: "the memory as it is now", schema: MemoryView } },
    errors: [404],
  },
  "DELETE /api/v1/memories/:memory": {
    id: "deleteMemory",
    tag: "memories",
    summary: "Forget a memory",
    params: MemoryParams,
    responses: { 204: { description: "deleted" } },
    errors: [404],
  },
} as const satisfies RouteContracts;
