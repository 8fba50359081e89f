import type { ApiRequest, ApiRoute } from "#shared/client/api-types.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import {
  RUN_STATUSES,
  SESSION_STATUSES,
  TERMINAL_STATUSES,
  TIMELINE_STATUSES,
} from "#shared/contracts/statuses.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";

const open = { additionalProperties: true };
const Text = Type.String();
const MaybeText = Type.Optional(Text);

/*
 * The answers of the original TARSy: the members that an import decides by, and those that it copies whatever they are. Members that are
 * null there are absent here.
 */

const Listed = Type.Object({ id: Text, status: literals(SESSION_STATUSES), created_at: MaybeText }, open);
export type Listed = Static<typeof Listed>;

const execution = {
  execution_id: Text,
  agent_index: Type.Integer({ minimum: 1 }),
  status: literals(RUN_STATUSES),
};
const Execution = Type.Object(
  { ...execution, sub_agents: Type.Optional(Type.Array(Type.Object(execution, open))) },
  open,
);
export type Execution = Static<typeof Execution>;

const Stage = Type.Object(
  {
    id: Text,
    stage_name: Text,
    stage_index: Type.Integer(),
    stage_type: Text,
    status: literals(RUN_STATUSES),
    parallel_type: MaybeText,
    expected_agent_count: Type.Optional(Type.Integer()),
    referenced_stage_id: MaybeText,
    completed_at: MaybeText,
    executions: Type.Optional(Type.Array(Execution)),
  },
  open,
);
export type Stage = Static<typeof Stage>;

const Session = Type.Object(
  {
    id: Text,
    status: literals(TERMINAL_STATUSES),
    alert_type: MaybeText,
    created_at: Text,
    completed_at: MaybeText,
    llm_interaction_count: Type.Optional(Type.Integer()),
    unpriced_interaction_count: Type.Optional(Type.Integer()),
    estimated_cost_usd: Type.Optional(Type.Number()),
    actions_executed: Type.Optional(Type.Boolean()),
    stages: Type.Array(Stage),
  },
  open,
);

const Entry = Type.Object(
  {
    id: Text,
    stage_id: MaybeText,
    execution_id: MaybeText,
    sequence_number: Type.Integer(),
    created_at: Text,
    updated_at: Text,
    event_type: Text,
    status: literals(TIMELINE_STATUSES),
    content: MaybeText,
    metadata: Type.Optional(Type.Object({}, open)),
  },
  open,
);
export type Entry = Static<typeof Entry>;

const Memory = Type.Object(
  { id: Text, content: Text, confidence: Type.Number(), deprecated: Type.Optional(Type.Boolean()) },
  open,
);

/** A session of the original with all that belongs to it. */
export interface OriginalSession {
  readonly listed: Listed;
  readonly session: Static<typeof Session>;
  readonly entries: readonly Entry[];
  readonly activities: readonly object[];
  readonly memories: readonly Static<typeof Memory>[];
}

const parsePage = compileParser(
  "list of sessions",
  Type.Object(
    {
      sessions: Type.Array(Listed),
      pagination: Type.Object({ total_pages: Type.Integer(), total_items: Type.Integer() }, open),
    },
    open,
  ),
);
const parseSession = compileParser("session", Session);
const parseEntries = compileParser("timeline", Type.Array(Entry));
const parseReview = compileParser(
  "steps of a review",
  Type.Object({ activities: Type.Array(Type.Object({}, open)) }, open),
);
const parseMemories = compileParser("memories", Type.Array(Memory));

/** Reads from the original; null for 404. */
export type Get = <R extends ApiRoute>(route: R, request: ApiRequest<R>) => Promise<unknown>;

/**
 * Its sessions, oldest first, in parts, and how many there seem to be. Those that begin meanwhile come behind the others. A part begins where
 * the one before ended: pages that are counted from the first session would move if the original removes old ones, and skip others.
 */
export async function* readList(get: Get, since: string | undefined) {
  const seen = new Set<string>();
  let all: number | undefined;
  let [page, from] = [1, since];
  for (;;) {
    const start = from === undefined ? {} : { start_date: from };
    const query = { page, page_size: 100, sort_by: "created_at", sort_order: "asc", ...start } as const;
    const { sessions, pagination } = parsePage(withoutNulls(await get("GET /api/v1/sessions", { query })));
    const added = sessions.filter(({ id }) => !seen.has(id));
    for (const { id } of added) seen.add(id);
    yield { sessions: added, all: (all ??= pagination.total_items) };
    if (page >= pagination.total_pages) return;
    const last = sessions.at(-1)?.created_at;
    if (added.length > 0 && last !== undefined && last !== from) [page, from] = [1, last];
    else page += 1;
  }
}

/** Everything of one session. Throws TerminalError `malformed` for answers that are not those of the contract. */
export async function readOriginal(get: Get, listed: Listed): Promise<OriginalSession> {
  const of = { params: { id: listed.id } };
  const review = await get("GET /api/v1/sessions/:id/review-activity", of);
  return {
    listed,
    session: parseSession(withoutNulls(await get("GET /api/v1/sessions/:id", of))),
    entries: parseEntries(withoutNulls((await get("GET /api/v1/sessions/:id/timeline", of)) ?? [])),
    activities: parseReview(withoutNulls(review ?? { activities: [] })).activities,
    memories: parseMemories(withoutNulls((await get("GET /api/v1/sessions/:id/memories", of)) ?? [])),
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
