import { callOfResult, completedCall } from "#shared/contract-view/tool-call-entry.ts";
import { knownPayload, type SessionEventPayload, type StoredEvent } from "#shared/contracts/session-event.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { AguiEvent } from "./agui-event.ts";
import { OpenTexts } from "./open-texts.ts";
import { RunningAgents, agentEnd } from "./running-agents.ts";
import { interruptOf, toolNameOf, type AskedApproval } from "./tool-calls.ts";

type Payload<T extends SessionEventPayload["type"]> = Extract<SessionEventPayload, { type: T }>;

/** The run that a client sees: a session from its beginning to its end, or one stage that answers a question about it. */
export interface AguiRun {
  readonly sessionId: string;
  readonly threadId: string;
  readonly runId: string;
  /** Undefined for the session itself. */
  readonly stageId?: string | undefined;
}

/**
 * Folds the events of a session into those of AG-UI. All ids derive from the stored ones and nothing else is read, so that the same
 * events always give the same stream. What is open is closed before the end of the run, as the protocol demands.
 */
export class AguiFold {
  readonly #run: AguiRun;
  readonly #texts = new OpenTexts();
  readonly #agents: RunningAgents;
  readonly #steps = new Map<string, string>();
  readonly #approvals = new Map<string, AskedApproval>();
  #isOver = false;

  constructor(run: AguiRun) {
    this.#run = run;
    this.#agents = new RunningAgents(run.stageId !== undefined);
  }

  /** The run has ended: nothing may follow. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The beginning of the run. */
  start(): AguiEvent {
    const { threadId, runId, sessionId } = this.#run;
    return { type: "RUN_STARTED", threadId, runId, metadata: { session_id: sessionId } };
  }

  /** The events for one of the session; those after the end of the run and those of other runs have none. */
  take({ payload }: Pick<StoredEvent, "payload">): readonly AguiEvent[] {
    const known = knownPayload(payload);
    if (known === undefined || this.#isOver || !this.#isOfRun(known)) return [];
    const timestamp = Date.parse(payload.timestamp);
    return this.#translate(known).map((event) => ({ ...event, timestamp }));
  }

  /** The events for a piece of live text. */
  takeChunk(chunk: StreamChunk): readonly AguiEvent[] {
    return this.#isOver ? [] : this.#texts.add(chunk);
  }

  /** True if every agent waits for a decision that the client can ask for, or for an agent that does: it must have all arguments. */
  get waitsForPerson(): boolean {
    const asked = [...this.#approvals.values()];
    if (asked.length === 0 || this.#isOver || asked.some((one) => !one.arguments_complete)) return false;
    return this.#agents.allWait(asked.map(({ execution_id }) => execution_id));
  }

  /** Ends the run with the open questions. */
  interrupt(): readonly AguiEvent[] {
    const interrupts = [...this.#approvals.values()].map((approval) =>
      interruptOf(approval, this.#agents.tag(approval.execution_id)),
    );
    const closing = this.#close((id) => ({
      type: "SUBAGENT_FINISHED",
      subagentRunId: id,
      outcome: {
        type: "suspended",
        interruptIds: interrupts.flatMap((one) => (one.subagentRunId === id ? [one.id] : [])),
      },
    }));
    return [...closing, this.#finished({ outcome: { type: "interrupt", interrupts } })];
  }

  /** Ends the run because its events cannot be read any more. */
  fail(message: string, code: string): readonly AguiEvent[] {
    return this.#end(code, message);
  }

  #isOfRun(payload: SessionEventPayload): boolean {
    const { stageId } = this.#run;
    if (stageId === undefined) return true;
    if ("stage_id" in payload) return payload.stage_id === stageId;
    if (payload.type === "timeline_event.completed") return this.#texts.has(payload.event_id);
    return payload.type === "approval.decided" && this.#approvals.has(payload.approval_id);
  }

  #translate(payload: SessionEventPayload): readonly AguiEvent[] {
    switch (payload.type) {
      case "session.completed":
        return this.#end(isTerminal(payload.status) ? payload.status : "failed", payload.error_message);
      case "session.status":
      case "review.status":
      case "interaction.created":
      case "session.score_updated":
      case "chat.created":
        // Bookkeeping, of which the views have the outcome.
        return [];
      case "stage.started":
        return this.#stageStarted(payload);
      case "stage.completed":
        return this.#stageCompleted(payload);
      case "execution.status":
        return isTerminal(payload.status)
          ? [...this.#texts.closeOf(payload.execution_id), ...this.#agents.end(payload, payload.status)]
          : this.#agents.start(payload);
      case "session.progress": {
        const { type: _type, session_id, timestamp: _time, ...content } = payload;
        return [activity(`progress:${session_id}`, "session.progress", content)];
      }
      case "timeline_event.created":
        return this.#created(payload);
      case "timeline_event.completed":
        return this.#completed(payload);
      case "approval.requested":
        this.#approvals.set(payload.approval_id, payload);
        return [custom(payload)];
      case "approval.decided":
        this.#approvals.delete(payload.approval_id);
        return [custom(payload)];
      default:
        return [custom(payload)];
    }
  }

  #stageStarted({
    stage_id,
    stage_name,
  }: Payload<"stage.started" | "stage.completed">): readonly AguiEvent[] {
    if (this.#steps.has(stage_id)) return [];
    const isTaken = [...this.#steps.values()].includes(stage_name);
    const stepName = isTaken ? `${stage_name} ${stage_id}` : stage_name;
    this.#steps.set(stage_id, stepName);
    return [{ type: "STEP_STARTED", stepName }];
  }

  #stageCompleted({ stage_id, status }: Payload<"stage.started" | "stage.completed">): readonly AguiEvent[] {
    if (stage_id === this.#run.stageId) return this.#end(isTerminal(status) ? status : "failed", undefined);
    const stepName = this.#steps.get(stage_id);
    this.#steps.delete(stage_id);
    return stepName === undefined ? [] : [{ type: "STEP_FINISHED", stepName }];
  }

  #created(payload: Payload<"timeline_event.created">): readonly AguiEvent[] {
    const { event_id, event_type, execution_id, content, metadata, status } = payload;
    const tag = this.#agents.tag(execution_id);
    const agent = this.#agents.get(execution_id);
    switch (event_type) {
      case "llm_thinking":
      case "llm_response":
      case "final_analysis":
      case "executive_summary":
        if (status === "streaming") return this.#texts.open({ event_id, event_type, execution_id }, tag);
        if (content === "" || (event_type === "final_analysis" && agent?.answer === content)) return [];
        return [
          ...this.#texts.open({ event_id, event_type, execution_id }, tag),
          ...this.#texts.complete(event_id, content),
        ];
      case "llm_tool_call": {
        const name = toolNameOf(metadata);
        agent?.calls.add(event_id);
        return [
          { type: "TOOL_CALL_START", toolCallId: event_id, toolCallName: name, ...tag },
          ...(content === ""
            ? []
            : [{ type: "TOOL_CALL_ARGS", toolCallId: event_id, delta: content, ...tag } as const]),
          { type: "TOOL_CALL_END", toolCallId: event_id, ...tag },
        ];
      }
      case "tool_result": {
        const toolCallId = callOfResult(metadata);
        agent?.calls.delete(toolCallId);
        const isError =
          completedCall({ content, ...(metadata === undefined ? {} : { metadata }) }).status === "failed";
        return [
          {
            type: "TOOL_CALL_RESULT",
            messageId: event_id,
            toolCallId,
            content,
            role: "tool",
            ...(isError ? { metadata: { is_error: true } } : {}),
            ...tag,
          },
        ];
      }
      default:
        if (status === "streaming") return this.#texts.hold({ event_id, event_type, execution_id });
        // The client that asked has its own question.
        if (isOwnQuestion(payload, this.#run)) return [];
        return [{ ...activity(event_id, event_type, { ...metadata, text: content }), ...tag }];
    }
  }

  #completed({
    event_id,
    event_type,
    content,
    metadata,
  }: Payload<"timeline_event.completed">): readonly AguiEvent[] {
    const owner = this.#texts.ownerOf(event_id);
    const agent = owner === undefined ? undefined : this.#agents.get(owner);
    if (agent !== undefined && event_type === "llm_response") agent.answer = content;
    if (!this.#texts.isHeld(event_id)) return this.#texts.complete(event_id, content);
    this.#texts.complete(event_id, content);
    const tag = owner === undefined ? {} : this.#agents.tag(owner);
    return [{ ...activity(event_id, event_type, { ...metadata, text: content }), ...tag }];
  }

  #end(status: string, why: string | undefined): readonly AguiEvent[] {
    const closing = [...this.#agents.leaveCalls(), ...this.#close((id) => agentEnd(id, status, why))];
    switch (status) {
      case "completed": {
        const result = { session_id: this.#run.sessionId, status };
        return [...closing, this.#finished({ outcome: { type: "success" }, result })];
      }
      case "cancelled":
        return [...closing, this.#finished({ outcome: { type: "cancelled" } })];
      default: {
        this.#isOver = true;
        const message = why ?? `the investigation ended ${status.replaceAll("_", " ")}`;
        return [...closing, { type: "RUN_ERROR", message, code: status }];
      }
    }
  }

  #finished(fields: Pick<Extract<AguiEvent, { type: "RUN_FINISHED" }>, "outcome" | "result">): AguiEvent {
    this.#isOver = true;
    const { threadId, runId } = this.#run;
    return { type: "RUN_FINISHED", threadId, runId, ...fields };
  }

  /** Closes everything that is open: sub-agents before the agents that started them. */
  #close(endOf: (id: string) => AguiEvent): readonly AguiEvent[] {
    const steps = [...this.#steps.values()].toReversed();
    const closing = [
      ...this.#texts.closeAll(),
      ...this.#agents.endAll(endOf),
      ...steps.map((stepName): AguiEvent => ({ type: "STEP_FINISHED", stepName })),
    ];
    this.#steps.clear();
    return closing;
  }
}

/** The question that an answer is about: the client that asked has it. */
function isOwnQuestion(
  { event_type, sequence_number }: Payload<"timeline_event.created">,
  { stageId }: AguiRun,
): boolean {
  return stageId !== undefined && event_type === "user_question" && sequence_number === 1;
}

function activity(messageId: string, activityType: string, content: object): AguiEvent {
  return { type: "ACTIVITY_SNAPSHOT", messageId, activityType, content, replace: true };
}

function custom({ timestamp: _time, ...value }: SessionEventPayload): AguiEvent {
  return { type: "CUSTOM", name: value.type, value };
}
