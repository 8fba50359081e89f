import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import {
  BoundTool,
  RecordedListing,
  RecordedLlmCall,
  RecordedMessage,
  RecordedToolCall,
} from "#shared/cassette/recorded-calls.ts";
import { literals } from "#shared/contracts/literals.ts";
import { ITERATION_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import { RUN_STATUSES, STAGE_TYPES, TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import { STEERING_MESSAGES } from "#shared/database/tables/steering.ts";
import { GROUP_ALERTS } from "#shared/database/tables/alert-groups.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";
import { FOLLOW_UPS } from "#shared/database/tables/follow-ups.ts";

/** The first member of every cassette. */
export const CASSETTE_FORMAT = "tarsy-cassette";

/**
 * The version that this program writes. A change that a reader of it would misread raises it; an optional member does not.
 */
export const CASSETTE_VERSION = 1;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);
/** The largest value of columns that hold 32 bits. */
const MAX_COUNT = 2_147_483_647;
const UuidOrNull = Type.Union([Uuid, Type.Null()]);
const Ending = { status: literals(TERMINAL_STATUSES), error_message: TextOrNull, error_code: TextOrNull };
const Run = { status: literals(RUN_STATUSES), error_message: TextOrNull, error_code: TextOrNull };

/** The submitted alert, and the end of the session. */
const RecordedSession = Type.Object({
  ...rowMembers(ALERT_SESSIONS, "session_id", "alert_data", "alert_type", "agent_type", "chain_id"),
  ...rowMembers(ALERT_SESSIONS, "runbook_url"),
  mcp_selection: Type.Unknown(),
  session_metadata: Type.Unknown(),
  ...rowMembers(ALERT_SESSIONS, "lane"),
  ...Ending,
  ...rowMembers(ALERT_SESSIONS, "final_analysis", "executive_summary", "executive_summary_error"),
  ...rowMembers(ALERT_SESSIONS, "degraded", "created_at", "started_at", "completed_at"),
  /** Its newest event. */
  last_seq: Type.Integer(),
  /** The text about the earlier session of the same incident that its agents got; null if there was none. */
  former_analysis: TextOrNull,
});

/** The result of fetching the runbook; null if none was due. */
const RecordedRunbook = Type.Object({ text: TextOrNull, failure: TextOrNull });

const RecordedStage = Type.Object({
  stage_id: Uuid,
  stage_name: Type.String(),
  /** Counts from 1. */
  stage_index: Type.Integer({ minimum: 1, maximum: MAX_COUNT }),
  stage_type: literals(STAGE_TYPES),
  expected_agent_count: Type.Integer({ minimum: 0, maximum: MAX_COUNT }),
  ...rowMembers(STAGES, "parallel_type", "success_policy"),
  ...Run,
});

/** The texts about earlier sessions that an agent got before its first message, in this order. */
const InjectedMemory = Type.Object({
  memory_id: Uuid,
  content: TextOrNull,
  category: TextOrNull,
  valence: TextOrNull,
  confidence: Type.Union([Type.Number(), Type.Null()]),
  alert_type: TextOrNull,
});

const RecordedExecution = Type.Object({
  execution_id: Uuid,
  stage_id: Uuid,
  agent_name: Type.String(),
  /** Among the agents of its stage, or below its parent. */
  agent_index: Type.Integer({ minimum: 1, maximum: MAX_COUNT }),
  /** The execution that started it; null unless it is a sub-agent. */
  parent_execution_id: UuidOrNull,
  task: TextOrNull,
  is_synthesis: Type.Boolean(),
  iteration_strategy: literals(ITERATION_STRATEGIES),
  ...Run,
  /**
   * The result of a sub-agent: the sequence number of the message that gave its result to its parent, and the position among the parent's
   * `llm_calls`, from 0, of the first call that had it; null if the parent ended before. `null` as a whole if it was never given.
   */
  delivered: Type.Union([Type.Object({ message: IntegerOrNull, before_call: IntegerOrNull }), Type.Null()]),
  /** It was asked to stop, by its parent or because that ended. */
  is_cancel_requested: Type.Boolean(),
  /** Its completed answer, as its timeline has it; null for none. */
  final_analysis: TextOrNull,
  messages: Type.Array(RecordedMessage),
  listings: Type.Array(RecordedListing),
  /** Their order is that of binding; empty if no call had any. */
  bound_tools: Type.Array(BoundTool),
  llm_calls: Type.Array(RecordedLlmCall),
  tool_calls: Type.Array(RecordedToolCall),
  memories: Type.Array(InjectedMemory),
});
export type RecordedExecution = Static<typeof RecordedExecution>;

/** The position at which something from outside was read: the last message of the execution before it, and the session's newest event then. */
const Delivery = Type.Object({
  execution_id: Uuid,
  /** The sequence number of the message that reports it; null if no message does. */
  message: IntegerOrNull,
  /** The position among the execution's `llm_calls`, from 0, of the first call that knows of it; null if there was none. */
  before_call: IntegerOrNull,
});

/** A person's message or question to the agents. */
export const RecordedSteering = Type.Object({
  ...rowMembers(STEERING_MESSAGES, "message_id", "ordinal", "mode", "content", "author", "is_from_alert"),
  ...rowMembers(STEERING_MESSAGES, "execution_id", "targets", "after_stage", "after_agent", "calls"),
  deliveries: Type.Array(Delivery),
});

/** An alert of the session's incident. `data` is null where there was no room for it, and for the session's own. */
export const RecordedAlert = Type.Object(
  rowMembers(GROUP_ALERTS, "alert_id", "ordinal", "is_resolved", "effect", "data", "received_at"),
);

const RecordedEvidence = Type.Object({
  ...Delivery.properties,
  through: Type.Integer(),
  alerts: Type.Integer(),
  characters: Type.Integer(),
});

const RecordedApproval = Type.Object({
  ...rowMembers(APPROVALS, "approval_id", "execution_id"),
  call_id: Uuid,
  ...rowMembers(APPROVALS, "tool", "arguments", "state", "reason"),
});

const RecordedFollowUp = Type.Object({
  ...rowMembers(FOLLOW_UPS, "follow_up_id", "kind", "stage_id"),
  resolved_config: Type.Object({}, { additionalProperties: true }),
  ...Run,
  is_cancel_requested: Type.Boolean(),
  /** The question of a chat. */
  question: Type.Union([Type.Object({ content: Type.String(), author: Type.String() }), Type.Null()]),
  /** The score of a scoring. */
  score: Type.Union([
    Type.Object({
      status: Type.String(),
      total_score: IntegerOrNull,
      score_analysis: TextOrNull,
      tool_improvement_report: TextOrNull,
      failure_tags: Type.Array(Type.String()),
    }),
    Type.Null(),
  ]),
  /** The source that a follow-up of this kind learns from. */
  feedback: TextOrNull,
});

/** The whole text of a result of which the conversation has only a window. */
const KeptResult = Type.Object({
  call_id: Type.String(),
  bytes: Type.Integer({ minimum: 0, maximum: MAX_COUNT }),
  lines: Type.Integer({ minimum: 0, maximum: MAX_COUNT }),
  content: Type.String(),
});

/** One session with all that its agents read, asked and got, as one file; `docs/lab.md` explains it. */
export const Cassette = Type.Object(
  {
    format: Type.Literal(CASSETTE_FORMAT),
    version: Type.Literal(CASSETTE_VERSION),
    /** The version of TARSy that wrote it. */
    written_by: Type.String(),
    exported_at: Type.String(),
    session: RecordedSession,
    /** The session's configuration as it is stored, which `parseResolvedChain` reads. */
    resolved_config: Type.Object({}, { additionalProperties: true }),
    /** The bodies of the texts that the configuration refers to, by hash. */
    texts: Type.Record(Type.String(), Type.String()),
    runbook: Type.Union([RecordedRunbook, Type.Null()]),
    /** Keyed by stage_index; those of follow-ups behind those of the chain. */
    stages: Type.Array(RecordedStage),
    /** Keyed by stage and agent_index, sub-agents behind the execution that started them. */
    executions: Type.Array(RecordedExecution),
    kept_results: Type.Array(KeptResult),
    inputs: Type.Object({
      steering: Type.Array(RecordedSteering),
      alerts: Type.Array(RecordedAlert),
      evidence: Type.Array(RecordedEvidence),
      approvals: Type.Array(RecordedApproval),
      /** The session was asked to end. */
      is_cancel_requested: Type.Boolean(),
      /** The number of times that it was parked for a critical session. */
      parkings: Type.Integer(),
      /** The number of times that an executor claimed it: more than once after a kill, a hand-over, a wait or for a follow-up. */
      claims: Type.Integer(),
    }),
    /** Their order is that of the requests. */
    follow_ups: Type.Array(RecordedFollowUp),
    /** The places where the export found a secret and put a placeholder, as JSON pointers. */
    masked: Type.Array(Type.String()),
  },
  { title: "Cassette" },
);
export type Cassette = Static<typeof Cassette>;
