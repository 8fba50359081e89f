import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { BudgetCause } from "#shared/contracts/budget.ts";

/**
 * The reason of a wait: `gateway` (no llm-gateway answers), `provider` (the LLM provider limits the rate, is overloaded,
 * loading or unreachable), `tools` (no tool-runner lists the agent's tools), `approval` (a person must agree to a tool call),
 * `agents` (its sub-agents are at work).
 */
export const WAIT_KINDS = ["gateway", "provider", "tools", "approval", "agents"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** The wait of an agent or a session, as stored and as shown to clients. */
export const WaitingFor = Type.Object({
  kind: literals(WAIT_KINDS),
  /** One sentence that names what is awaited, e.g. with its address. */
  reason: Type.String(),
  /** When the step first had to wait; ISO 8601, by the database's clock. */
  since: Type.String(),
  /** When the step is tried again; ISO 8601, by the database's clock. */
  until: Type.String(),
  /** True if the wait does not count against the session's deadline. It then ends by a limit of its own. */
  pauses_deadline: Type.Boolean(),
});
export type WaitingFor = Static<typeof WaitingFor>;

/** The history of a step that was begun and has no outcome yet. It is out of date once another step is due. */
export const UnfinishedStep = Type.Object({
  /** Identifies the step within its execution. */
  step: Type.String(),
  /** The number of times that it ended in an error that is no outcome. */
  failed_tries: Type.Integer(),
  /** LLM calls that a gateway accepted and whose connection then broke: each may have been paid for. */
  lost_calls: Type.Integer(),
  /** The reason of its wait; null once it is tried again. */
  waiting: Type.Union([WaitingFor, Type.Null()]),
});
export type UnfinishedStep = Static<typeof UnfinishedStep>;

/** The one of an agent's providers that answers after a change of providers. */
const ProviderInUse = Type.Object({
  /** Its position in `fallback_providers`, from 1. */
  position: Type.Integer({ minimum: 1 }),
  /** Messages up to this sequence number carry state of other providers, which is not sent to this one. */
  since_message: Type.Integer(),
});

/**
 * A large result that is to be summarized before the model is called again. Until then its message has a window of it, with
 * which an executor goes on that does not know summaries.
 */
export const PendingSummary = Type.Object({
  /** The sequence number of its message. */
  message: Type.Integer(),
  /** The place of its call among those of the newest answer. */
  index: Type.Integer(),
  /** "server.tool", as the model wrote it. */
  name: Type.String(),
  /** Under which the whole text is kept. */
  handle: Type.String(),
  /** The size of the text that is kept. */
  bytes: Type.Integer(),
  lines: Type.Integer(),
  /** The tool reported an error. */
  is_error: Type.Boolean(),
  /** Its message is an observation, not a tool message. */
  as_observation: Type.Boolean(),
  /** Calls for this summary that have failed. */
  failed_calls: Type.Integer(),
});
export type PendingSummary = Static<typeof PendingSummary>;

/** How far an agent is with stating its conclusion. */
const ConclusionState = Type.Object({
  /** Conclusions that were checked. */
  attempts: Type.Integer({ minimum: 0 }),
  /** The quotes of the last one that were not verified. */
  failing: Type.Integer({ minimum: 0 }),
  /** The sequence number of the message that asks for one; absent if none does. */
  asked_at: Type.Optional(Type.Integer()),
  /** The sequence number of the answer before it, where the timeline does not have that as the analysis yet. */
  answer_at: Type.Optional(Type.Integer()),
});
export type ConclusionState = Static<typeof ConclusionState>;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/**
 * The state that a controller needs, besides the conversation, to choose its next step. It is stored with the execution, so that
 * another executor chooses the same step.
 */
export const IterationState = Type.Object({
  /** LLM calls whose outcome is committed, failed ones included. */
  iteration: Type.Integer(),
  /** `concluding` once the limit is reached and the model was asked to answer from what it has. */
  phase: literals(["iterating", "concluding"]),
  /** True when the last LLM call failed. A tool call that fails is an answer for the model, and no failure. */
  last_failed: Type.Boolean(),
  /** Consecutive failed LLM calls; the backoff before the next one grows with them. */
  consecutive_failures: Type.Integer(),
  last_error: TextOrNull,
  last_error_code: TextOrNull,
  /** False when the provider reported that a retry cannot help. */
  last_error_retryable: Type.Boolean(),
  consecutive_timeouts: Type.Integer(),
  /** The provider in use, once it is no longer the agent's own. */
  provider: Type.Optional(ProviderInUse),
  /** Consecutive failed calls that speak against the provider in use; absent for none. */
  provider_failures: Type.Optional(Type.Integer()),
  /** Consecutive replies without text and tool calls that were no failure yet; absent for none. */
  empty_replies: Type.Optional(Type.Integer()),
  /** LLM calls of `iteration` that used up none of the agent's iterations; absent for none. */
  uncounted: Type.Optional(Type.Integer()),
  /** Keys of the gateway's warnings that are in the timeline; absent if there were none. */
  shown_warnings: Type.Optional(Type.Array(Type.String())),
  /** The calls of the newest answer, by index, whose stored arguments are masked; absent for none. */
  masked_arguments: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }))),
  /** The results of this iteration that are to be summarized, in their order; absent for none. */
  pending_summaries: Type.Optional(Type.Array(PendingSummary)),
  /** The provider that took over the writing of summaries, by the name of the one that failed; absent if none did. */
  summarizers: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** The claim of a completed action agent: whether its answer says that it executed actions; absent if it does not say. */
  actions_claimed: Type.Optional(Type.Boolean()),
  /** The results of tools that have a handle; absent for none. */
  results: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Tools that were found by searches, "server.tool", the newest last; absent for none. */
  found_tools: Type.Optional(Type.Array(Type.String())),
  /** Absent before it is stated or asked for. */
  conclusion: Type.Optional(ConclusionState),
  /** The deadline of a sub-agent that has started; ISO 8601, by the database's clock. */
  deadline_at: Type.Optional(Type.String()),
  /** The time until which an agent waits for the others that it has started; ISO 8601, by the database's clock. */
  budget_until: Type.Optional(Type.String()),
  /** The budget for which the agent is asked to conclude; absent if none is the reason. */
  budget_stop: Type.Optional(BudgetCause),
  /** The budget that has no room for the call that was due: the agent fails. */
  budget_exceeded: Type.Optional(BudgetCause),
  /** The tries of the step that is due; absent if nothing has stopped it. */
  unfinished_step: Type.Optional(UnfinishedStep),
});
export type IterationState = Static<typeof IterationState>;

/** The part of the state that failed calls change, without any. */
export const NO_FAILURES = {
  last_failed: false,
  consecutive_failures: 0,
  last_error: null,
  last_error_code: null,
  last_error_retryable: true,
  consecutive_timeouts: 0,
} as const satisfies Partial<IterationState>;

export const INITIAL_ITERATION_STATE: IterationState = {
  iteration: 0,
  phase: "iterating",
  ...NO_FAILURES,
};
