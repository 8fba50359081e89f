import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { INITIAL_ITERATION_STATE, type IterationState } from "#shared/contracts/iteration-state.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { Evidence } from "./evidence.ts";
import type { SteeringMessage } from "./steering.ts";
import type { MessageChange, NewMessage, StepRows } from "./step-rows.ts";

/** A message as controllers and requests need it. */
export type StoredMessage = Omit<Message, "session_id" | "stage_id" | "execution_id" | "created_at" | "seq">;

/** The rows of an execution. */
export interface AgentMemory {
  readonly executionId: string;
  readonly status: RunStatus;
  readonly iteration: IterationState;
  /** Ordered by sequence number. */
  readonly messages: readonly StoredMessage[];
  /** The offer of each server that was asked. */
  readonly listings: ReadonlyMap<string, ServerListing>;
  readonly timeline: TimelineMemory;
  /** Messages of people that the agent has not read, in their order. */
  readonly steering: readonly SteeringMessage[];
  /** The alerts of its incident that it has not read; null if none but the session's own has arrived. */
  readonly evidence: Evidence | null;
  /** The newest entry of the session's inbox when the rows were read. */
  readonly inboxSeq: number;
}

/** The offer of a server to an execution. */
export interface ServerListing {
  readonly tools: readonly ToolDescription[];
  /** Why its tools are not known, for a prompt; null if they are. */
  readonly failure: string | null;
}

const parseResult = compileParser(
  "result of a listing",
  Type.Union([Type.Null(), Type.Object({ content: Type.String(), code: Type.Optional(Type.String()) })]),
);

/** The listing that a row holds. */
export function readListing({
  available_tools,
  tool_result,
}: {
  readonly available_tools: readonly ToolDescription[] | null;
  readonly tool_result: object | null;
}): ServerListing {
  const failed = parseResult(tool_result);
  return { tools: available_tools ?? [], failure: failed && unavailableReason(failed.code) };
}

/** The part of an execution's timeline that the next step needs. */
export interface TimelineMemory {
  readonly nextSequence: number;
  /** The rows that are streaming, with their sequence numbers. */
  readonly open: ReadonlyMap<string, number>;
  /** The rows of tool calls that have no result yet, and whether this owner has inserted them. */
  readonly announced: ReadonlyMap<string, { readonly byThisOwner: boolean }>;
}

/** The memory of an execution whose row has just been inserted. */
export function newAgent(executionId: string, status: RunStatus): AgentMemory {
  return {
    executionId,
    status,
    iteration: INITIAL_ITERATION_STATE,
    messages: [],
    listings: new Map(),
    timeline: { nextSequence: 1, open: new Map(), announced: new Map() },
    steering: [],
    evidence: null,
    inboxSeq: 0,
  };
}

/** The memory after a step with these rows; rows of other executions change nothing. */
export function foldAgent(memory: AgentMemory, rows: StepRows): AgentMemory {
  const isOwn = ({ execution_id }: { readonly execution_id: string }) => execution_id === memory.executionId;
  const messages = rows.messages?.filter(isOwn) ?? [];
  const listed = rows.mcpInteractions?.filter(
    (row) => isOwn(row) && row.interaction_type === "tool_list" && row.available_tools !== null,
  );
  const changed = rows.executionChanges?.findLast(isOwn);
  return {
    executionId: memory.executionId,
    status: changed?.end?.status ?? (changed?.starts === true ? "active" : memory.status),
    iteration: changed?.iteration_state ?? memory.iteration,
    messages: changedMessages(memory, messages, rows.messageChanges?.filter(isOwn) ?? []),
    listings:
      listed === undefined || listed.length === 0
        ? memory.listings
        : new Map([...memory.listings, ...listed.map((row) => [row.server_name, readListing(row)] as const)]),
    timeline: foldTimeline(memory, rows),
    steering: foldSteering(memory, rows),
    evidence: foldEvidence(memory, rows),
    inboxSeq: memory.inboxSeq,
  };
}

function changedMessages(
  { messages }: AgentMemory,
  added: readonly NewMessage[],
  changes: readonly MessageChange[],
): AgentMemory["messages"] {
  if (added.length === 0 && changes.length === 0) return messages;
  const all = [...messages, ...added.map(storedMessage)];
  if (changes.length === 0) return all;
  const contents = new Map(changes.map(({ message_id, content }) => [message_id, content]));
  return all.map((message) => {
    const content = contents.get(message.message_id);
    return content === undefined ? message : { ...message, content };
  });
}

function storedMessage(message: NewMessage): StoredMessage {
  const { message_id, sequence_number, role, content, tool_calls, tool_call_id, tool_name } = message;
  const state = message.provider_state;
  return {
    message_id,
    sequence_number,
    role,
    content,
    tool_calls,
    tool_call_id,
    tool_name,
    provider_state: state === null ? null : Buffer.from(state, "base64"),
  };
}

function foldSteering({ executionId, steering }: AgentMemory, rows: StepRows): AgentMemory["steering"] {
  const { steeringDeliveries = [] } = rows;
  if (steeringDeliveries.length === 0) return steering;
  const own = steeringDeliveries.filter(({ execution_id }) => execution_id === executionId);
  const read = new Set(own.map(({ message_id }) => message_id));
  return steering.filter(({ message_id }) => !read.has(message_id));
}

function foldEvidence({ executionId, evidence }: AgentMemory, rows: StepRows): AgentMemory["evidence"] {
  const read = rows.evidenceDeliveries?.findLast(({ execution_id }) => execution_id === executionId);
  if (read === undefined || evidence === null) return evidence;
  const { characters, sequence_number } = read;
  return {
    ...evidence,
    count: 0,
    newest: [],
    characters_read: evidence.characters_read + characters,
    last_message: sequence_number,
  };
}

function foldTimeline({ executionId, timeline }: AgentMemory, rows: StepRows): TimelineMemory {
  const added = rows.timeline?.filter(({ execution_id }) => execution_id === executionId) ?? [];
  const { timelineEnds: ended = [], timelineLinks: linked = [] } = rows;
  if (added.length + ended.length + linked.length === 0) return timeline;
  const open = new Map(timeline.open);
  const announced = new Map(timeline.announced);
  for (const { event_id, status, event_type, sequence_number } of added) {
    if (status === "streaming") open.set(event_id, sequence_number);
    if (event_type === "llm_tool_call") announced.set(event_id, { byThisOwner: true });
  }
  for (const { event_id } of ended) open.delete(event_id);
  for (const { event_id } of linked) announced.delete(event_id);
  return {
    nextSequence: Math.max(timeline.nextSequence, ...added.map((row) => row.sequence_number + 1)),
    open,
    announced,
  };
}

/** The reasons why a server's tools are not available, keyed by the code of the failed listing. */
const REASONS: Readonly<Record<string, string>> = {
  unreachable: "it cannot be reached",
  circuit_open: "it could not be reached lately",
  closed: "it ended the connection",
  not_listed_yet: "it does not answer in time",
  timeout: "it does not answer in time",
  busy: "the tool-runner has no room for it",
  rate_limited: "it is asked too often",
  unauthorized: "it refuses the credentials",
  no_runner: "no tool-runner answers",
  misconfigured: "its configuration is not complete",
};
const OTHER = "it does not answer as it should";

/**
 * Why a server's tools are not available, in words of this program: the failure's own text may be written by the server, and
 * a system message holds no text from outside.
 */
function unavailableReason(code: string | undefined): string {
  return (code === undefined ? undefined : REASONS[code]) ?? OTHER;
}
