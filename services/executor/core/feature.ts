import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { BuiltInName, StepTool } from "../controllers/built-in-tools.ts";
import type { RunExecutions, AgentRun } from "../next-session-step.ts";
import type { AlertInput } from "../prompts/prompt-input.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { AgentState, AgentStep, Controller, StepKind, StepOf } from "./agent-state.ts";
import type { AgentSteps } from "./agent-steps.ts";
import type { ExecutionRun } from "./execution-run.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { AgentWait } from "./wait.ts";

/** An agent with everything that does not change while it runs. */
export interface AgentSetting
  extends AgentRun, Pick<RunExecutions, "stage" | "synthesisInputs" | "chain" | "previous" | "followUp"> {
  readonly alert: AlertInput;
  /** The task of a sub-agent; absent for other agents. */
  readonly task?: string;
}

/** An agent whose next step is to be decided. */
export interface AskingAgent extends AgentSetting {
  readonly session: OwnedSession;
  readonly steps: AgentSteps;
  /** Its first messages are not stored yet. */
  readonly isOpening: boolean;
}

/** Values that a decision needs besides the agent's own rows. */
export type Loaded = Partial<
  Omit<AgentState, "agent" | "chain" | "messages" | "iteration" | "tools" | "offer">
>;

type StepOutcome = AgentWait | null | undefined;

/**
 * The functions that perform the steps, by kind. Each adds the outcome to the agent's steps; one that asks others first commits what was
 * added before. It returns what the step waits for if there is no outcome yet.
 */
export type Performers = {
  readonly [K in StepKind]: (run: ExecutionRun, step: StepOf[K]) => Promise<StepOutcome> | StepOutcome;
};

/** A call of a built-in tool. */
export interface BuiltInCall<Name = BuiltInName> {
  readonly name: Name;
  /** As parsed from what the model wrote. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A longer answer is cut, or is a window whose whole text is kept under `handle`; in UTF-16 code units. */
  readonly maxChars: number;
  readonly handle: string;
}

/** The functions that answer calls of built-in tools from what is stored. An answer has no effect until its outcome is committed. */
export type Answers = {
  readonly [K in Exclude<BuiltInName, StepTool>]: (
    run: ExecutionRun,
    call: BuiltInCall<K>,
    signal: AbortSignal,
  ) => Promise<ToolOutcome>;
};

/** The answer of a call whose outcome has rows of its own: `effect` is committed with it. */
export interface StepAnswer {
  readonly outcome: ToolOutcome;
  readonly effect: StepRecord | null;
  /** The agent's state from then on; absent if it stays. */
  readonly iteration?: IterationState;
}

/** The functions that answer calls of the tools which the step answers that asks for them, from rows that are committed. */
export type StepAnswers = {
  readonly [K in StepTool]: (
    run: ExecutionRun,
    call: Pick<BuiltInCall<K>, "name" | "parameters"> & { readonly index: number },
  ) => Promise<StepAnswer> | StepAnswer;
};

/** The hooks with which a feature takes part in the steps of agents. It has only those that it needs. */
export interface Feature {
  /** Reads what the next decision needs; `loaded` is what the features before it have read. Throws database errors. */
  readonly load?: (agent: AskingAgent, loaded: Loaded) => Promise<Loaded>;
  /** The step that is due instead of `next`, from what is stored alone; null for `next` itself. */
  readonly decide?: (state: AgentState, next: AgentStep) => AgentStep | null;
  /** False if the step may not be performed now: what is due is then decided again. */
  readonly admit?: (run: ExecutionRun, step: AgentStep) => Promise<boolean>;
  /** Called when a sub-agent begins or goes on, with the function that ends its time. */
  readonly subAgent?: (executionId: string, endItsTime: () => void) => void;
  /** Adds steps that are committed with an agent's first messages. */
  readonly opening?: (run: ExecutionRun) => void;
  /** Adds steps that are committed with an agent's last one. */
  readonly ending?: (run: ExecutionRun) => void;
  /** Performs the steps that the feature decides. */
  readonly perform?: Partial<Performers>;
  /** The controllers of its strategies. */
  readonly controllers?: Partial<Record<IterationStrategy, Controller>>;
  /** Answers calls of its built-in tools. */
  readonly tools?: Partial<Answers>;
  readonly stepTools?: Partial<StepAnswers>;
}

/** The features of an executor. */
export interface Features {
  /** In the order in which their hooks are called. */
  readonly list: readonly Feature[];
  readonly performers: Performers;
  readonly controllers: Readonly<Record<IterationStrategy, Controller>>;
  readonly tools: Answers;
  readonly stepTools: StepAnswers;
}
