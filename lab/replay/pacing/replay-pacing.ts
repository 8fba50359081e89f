import { findContextBlock } from "#shared/contracts/context-block.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { findBuiltInTool, isSubAgentTool } from "../../../services/executor/controllers/built-in-tools.ts";
import type { RunTool, AgentStep, RankedMemory } from "../../../services/executor/core/agent-state.ts";
import type { ExecutionRun } from "../../../services/executor/core/execution-run.ts";
import type { AskingAgent, Features, Loaded } from "../../../services/executor/core/feature.ts";
import { FEATURES } from "../../../services/executor/features/features.ts";
import { CONCLUDED_BEFORE } from "../../../services/executor/tools/calls-not-made.ts";
import type { AwayProviders } from "./away-providers.ts";
import { isDone, type EarlyEnds } from "./early-end.ts";
import type { GivenInputs } from "./given-inputs.ts";
import { seqOf, type PlacedCall, type RecordedSession } from "../recording/recorded-session.ts";
import type { ReplayState } from "./replay-state.ts";
import { SubAgentViews } from "./sub-agent-views.ts";
import type { WatchedState } from "./watched-state.ts";

interface ReplayPacingOptions {
  readonly recorded: RecordedSession;
  readonly state: WatchedState;
  readonly inputs: GivenInputs;
  readonly ends: EarlyEnds;
  readonly away: AwayProviders;
  readonly memories: (executionId: string) => readonly RankedMemory[];
}

/** Lets the agents of a replay go on in the order of the recording. */
export class ReplayPacing {
  readonly #options: ReplayPacingOptions;
  readonly #views: SubAgentViews;
  /** Agents that have waited long enough for their sub-agents. */
  readonly #overBudget = new Set<string>();

  constructor(options: ReplayPacingOptions) {
    this.#options = options;
    this.#views = new SubAgentViews(options.recorded);
  }

  /** The features of an executor, between the order of the recording and what its agents had seen by then. */
  readonly features: Features = {
    ...FEATURES,
    list: [
      {
        load: (agent) => Promise.resolve(this.#memories(agent)),
        admit: (run, step) => this.#admit(run, step),
        subAgent: (executionId, endItsTime) => this.#options.ends.onSubAgent(executionId, endItsTime),
      },
      ...FEATURES.list,
      { load: (agent, loaded) => Promise.resolve(this.#load(agent, loaded)) },
    ],
  };

  /** The memories that the agent got. A judge got its own after its first answer. */
  #memories({ agent, execution: { execution_id }, isOpening }: AskingAgent): Loaded {
    if (agent.iteration_strategy === "scoring" && isOpening) return {};
    return { memories: this.#options.memories(execution_id) };
  }

  #load({ execution: { execution_id }, steps }: AskingAgent, loaded: Loaded): Loaded {
    const { evidence, messages } = steps.memory;
    const { context, subAgents, isBudgetOver } = loaded;
    return {
      evidence: this.#options.inputs.evidence(execution_id, evidence),
      ...(context === undefined ? {} : { context: this.#context(execution_id) }),
      ...(subAgents === undefined
        ? {}
        : {
            subAgents: this.#views.seen(execution_id, messages.length + 1, subAgents),
            isBudgetOver: isBudgetOver === true || this.#overBudget.has(execution_id),
          }),
    };
  }

  #context(executionId: string): string | null {
    return findContextBlock(this.#options.recorded.execution(executionId)?.messages ?? [])?.text ?? null;
  }

  /**
   * Resolves once the turn of a step has come. False: something may have changed since it was decided, so it is decided again. Throws the
   * session's reason when cancelled.
   */
  async #admit(run: ExecutionRun, step: AgentStep): Promise<boolean> {
    this.#options.state.progressed();
    if (step.kind === "run-tool") return this.#beforeTool(run, step);
    if (this.#views.forget(run.execution.execution_id)) return false;
    switch (step.kind) {
      case "call-llm":
      case "wait-for-sub-agents":
      case "append-user-message":
      case "finish":
        return this.#beforeTurn(run, step);
      case "cancel-sub-agents":
        return this.#beforeCancel(run);
      default:
        return true;
    }
  }

  /** Before the conversation goes on: messages from outside and results of sub-agents come first. */
  async #beforeTurn(run: ExecutionRun, step: AgentStep): Promise<boolean> {
    const { recorded, inputs } = this.#options;
    const { state, execution } = run;
    const { execution_id } = execution;
    const next = state.messages.length + 1;
    const call = recorded.conversationCall(execution_id, state.iteration.iteration + 1);
    if (step.kind === "call-llm") await this.#passOver(run, call);
    if (await inputs.give(execution_id, next, call?.position ?? null)) return false;
    const child = this.#views.deliveredAs(execution_id, next);
    const delivered = state.subAgents?.find(({ execution_id: id }) => id === child?.execution_id);
    // An agent that waits reads it, and must not keep its place from its sub-agents.
    const isWaiting = step.kind === "wait-for-sub-agents";
    if (child !== undefined && delivered?.is_delivered !== true && isHeard(step)) {
      if (isWaiting) return true;
      // That one has ended and is not delivered: it cannot be, at this step.
      if (delivered !== undefined && isTerminal(delivered.status)) return true;
      await this.#until(run, ({ executions }) => hasEnded(executions, child.execution_id));
      return false;
    }
    return this.#afterWaiting(run, step, call);
  }

  /** In the recording another provider answered, though no call had failed: those before it were known to be away. */
  async #passOver(run: ExecutionRun, call: PlacedCall | undefined): Promise<void> {
    const { away, state } = this.#options;
    const { execution_id } = run.execution;
    if (away.agent === execution_id) {
      away.clear();
      state.wake();
    }
    const { llm_provider, fallback_providers = [] } = run.state.agent;
    const names = [llm_provider, ...fallback_providers].map(({ name }) => name);
    const position = names.indexOf(call?.call.input.model?.provider ?? llm_provider.name);
    await this.#until(run, () => away.agent === undefined);
    if (position > 0) away.passOver(execution_id, names.slice(0, position));
  }

  /** In the recording the agent went on without its sub-agents, or ended. */
  #afterWaiting({ state, execution }: ExecutionRun, step: AgentStep, call: PlacedCall | undefined): boolean {
    const { execution_id } = execution;
    const isWaiting = step.kind === "wait-for-sub-agents";
    const isInterim = step.kind === "call-llm" && step.isInterim === true;
    if (!isWaiting && !isInterim) return true;
    const next = state.messages.length + 1;
    // The call had it, so it is none that followed from the call.
    const isBefore = call === undefined ? isWaiting : (call.call.input.through ?? 0) >= next;
    const messages = this.#options.recorded.execution(execution_id)?.messages ?? [];
    const message = messages.find(({ sequence_number }) => isBefore && sequence_number === next);
    if (message === undefined) return !(isWaiting && this.#views.show(execution_id));
    if (message.role !== "user" || state.isBudgetOver === true) return true;
    this.#overBudget.add(execution_id);
    return false;
  }

  /** An agent that ends stops those of its sub-agents that were stopped; the others have ended before. */
  async #beforeCancel(run: ExecutionRun): Promise<boolean> {
    const { recorded } = this.#options;
    const { execution_id } = run.execution;
    const children = recorded.subAgentsOf(execution_id);
    const isReady = (state: ReplayState) =>
      children.every(
        (child) =>
          isDone(child, state) &&
          (recorded.endedEarly(recorded.partOf(child), child) ||
            hasEnded(state.executions, child.execution_id)),
      );
    const hasWaited = await this.#until(run, isReady);
    return !this.#views.show(execution_id) && !hasWaited;
  }

  /** A call that was not made is not made again. One about sub-agents sees and stops them as it did. */
  async #beforeTool(run: ExecutionRun, { call }: RunTool): Promise<boolean> {
    const { recorded, state, inputs } = this.#options;
    const { execution_id } = run.execution;
    const { iteration } = run.state.iteration;
    const known = recorded.toolCall(execution_id, iteration, call.index);
    const isMoot = known?.error_message?.endsWith(CONCLUDED_BEFORE) === true;
    if (isMoot && (await inputs.conclude(execution_id))) return false;
    const tool = findBuiltInTool(call.name, run.state.tools ?? []);
    if (!isSubAgentTool(tool)) return !this.#views.forget(execution_id);
    const isNew = this.#views.showFor(execution_id, `${iteration}:${call.index}`, known);
    const part = recorded.partOf(run.execution);
    const hasWaited = await this.#until(
      run,
      (now) =>
        this.#views.isTrue(execution_id, now) &&
        recorded
          .callsOf(part)
          .every(
            (other) =>
              known === undefined ||
              seqOf(other.call) >= seqOf(known) ||
              now.interactions.has(other.call.interaction_id),
          ),
    );
    state.progressed();
    return !isNew && !hasWaited;
  }

  /** What the agent has added is committed first: others may wait for it. */
  async #until(run: ExecutionRun, isMet: (state: ReplayState) => boolean): Promise<boolean> {
    if (isMet(this.#options.state.current)) return false;
    await run.steps.commit();
    return this.#options.state.until(isMet, run.session.signals.cancelled);
  }
}

/** A step before which results of sub-agents are delivered. */
function isHeard(step: AgentStep): boolean {
  return step.kind !== "append-user-message" || step.concluding;
}

function hasEnded(executions: ReplayState["executions"], id: string): boolean {
  const status = executions.get(id);
  return status !== undefined && isTerminal(status);
}
