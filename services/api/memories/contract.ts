import { literals } from "#shared/contracts/literals.ts";
import { MAX_MEMORY_CHARACTERS, MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** Its format is not declared. */
const Time = Type.String({ description: "ISO 8601, UTC" });

const MemoryParams = Type.Object({ memory: Uuid });

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const MEMORY = {
  memory_id: Uuid,
  /** Clients of the contract read this name. */
  id: Uuid,
  project: Type.String({ description: "always `default`" }),
  content: Type.String(),
  category: literals(MEMORY_CATEGORIES),
  valence: literals(MEMORY_VALENCES),
  confidence: Type.Number({ description: "0–1, from its source and the rating of the source's review" }),
  seen_count: Type.Integer({ description: "how often it was found" }),
  source_session_id: Type.Union([Uuid, Type.Null()], { description: "null once the session is removed" }),
  alert_type: TextOrNull,
  chain_id: TextOrNull,
  created_at: Time,
  updated_at: Time,
  last_seen_at: Time,
  deprecated: Type.Boolean({ description: "no agent is told of it any more" }),
};

/** What was learned from a session. */
export const MemoryView = Type.Object(MEMORY);
export type MemoryView = Static<typeof MemoryView>;

/** `GET /api/v1/sessions/:id/memories` */
export const MemoryListResponse = Type.Array(MemoryView);

/** A memory that agents of a session got. */
export const InjectedMemory = Type.Object({
  ...MEMORY,
  execution_ids: Type.Array(Uuid, { description: "of the agents that were told of it" }),
});

/** `GET /api/v1/sessions/:id/injected-memories` */
export const InjectedMemoriesResponse = Type.Array(InjectedMemory);

/** The query of `GET /api/v1/memories`. */
export const MemoryQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  category: Type.Optional(literals(MEMORY_CATEGORIES)),
  valence: Type.Optional(literals(MEMORY_VALENCES)),
  deprecated: Type.Optional(literals(["true", "false"])),
  source_session_id: Type.Optional(Uuid),
});

export const MemoryPageResponse = Type.Object({
  memories: Type.Array(MemoryView),
  total: Type.Integer({ minimum: 0 }),
  page: Type.Integer({ minimum: 1 }),
  page_size: Type.Integer({ minimum: 1 }),
  total_pages: Type.Integer({ minimum: 0 }),
  enabled: Type.Boolean({ description: "whether memory is switched on; otherwise nothing is listed" }),
  may_change: Type.Boolean({ description: "whether the caller may correct and delete memories" }),
});

/** The body of `PATCH /api/v1/memories/:memory`: what is to change, at least one. */
export const MemoryBody = Type.Object({
  content: Type.Optional(
    Type.String({
      maxLength: MAX_MEMORY_CHARACTERS,
      pattern: String.raw`\S`,
      description: "must have a character other than white space",
    }),
  ),
  category: Type.Optional(literals(MEMORY_CATEGORIES)),
  valence: Type.Optional(literals(MEMORY_VALENCES)),
  deprecated: Type.Optional(Type.Boolean()),
});
export type MemoryBody = Static<typeof MemoryBody>;

/** What was learned from sessions. */
export const MEMORIES = {
  listSessionMemories: {
    method: "get",
    path: "/api/v1/sessions/:id/memories",
    action: "memory.read",
    tag: "memories",
    summary: "What was learned from a session",
    params: SessionParams,
    responses: { 200: { description: "at most 1,000, oldest first", schema: MemoryListResponse } },
  },
  listInjectedMemories: {
    method: "get",
    path: "/api/v1/sessions/:id/injected-memories",
    action: "memory.read",
    tag: "memories",
    summary: "What the agents of a session were told of earlier ones",
    params: SessionParams,
    responses: { 200: { description: "at most 1,000, in their order", schema: InjectedMemoriesResponse } },
  },
  listMemories: {
    method: "get",
    path: "/api/v1/memories",
    action: "memory.read",
    tag: "memories",
    summary: "A page of what was learned from the sessions that the caller may see, newest first",
    query: MemoryQuery,
    responses: { 200: { description: "the page", schema: MemoryPageResponse } },
  },
  getMemory: {
    method: "get",
    path: "/api/v1/memories/:memory",
    action: "memory.read",
    tag: "memories",
    summary: "One memory",
    params: MemoryParams,
    responses: { 200: { description: "the memory", schema: MemoryView } },
  },
  changeMemory: {
    method: "patch",
    path: "/api/v1/memories/:memory",
    action: "memory.change",
    tag: "memories",
    summary: "Correct a memory, or decide whether agents are told of it",
    params: MemoryParams,
    body: { schema: MemoryBody, example: { deprecated: true } },
    responses: { 200: { description: "the memory as it is now", schema: MemoryView } },
    errors: [404],
  },
  deleteMemory: {
    method: "delete",
    path: "/api/v1/memories/:memory",
    action: "memory.change",
    tag: "memories",
    summary: "Forget a memory",
    params: MemoryParams,
    responses: { 204: { description: "deleted" } },
    errors: [404],
  },
} as const satisfies Endpoints;
