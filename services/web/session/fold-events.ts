import { StreamedText } from "#shared/client/streamed-text.ts";
import { isTerminal, type RunStatus } from "#shared/contracts/statuses.ts";
import { answeredCall, askedEntry, callWithoutResult, createdEntry, lostResult } from "./entries.ts";
import type { MessageOf, SessionMessage, NumberedEvent } from "./session-message.ts";
import type { TimelineEntry, SessionView } from "./session-view.ts";
import { StagesView, type WritableLane } from "./stages-view.ts";

/** Events without an entry of their own: the timelines of the agents have what is shown, or only the facts of the session change. */
const WITHOUT_ENTRY = [
  "steer.received",
  "alert.linked",
  "chat.created",
  "budget.soft_limit",
  "budget.exceeded",
  "session.parked",
  "session.resumed",
] as const;
type EventWithoutEntry = Extract<NumberedEvent, { type: (typeof WITHOUT_ENTRY)[number] }>;

function isWithoutEntry(message: NumberedEvent): message is EventWithoutEntry {
  return WITHOUT_ENTRY.some((type) => type === message.type);
}

/** What a model writes after it has thought. */
const ANSWERS: ReadonlySet<TimelineEntry["type"]> = new Set(["llm_response", "final_analysis"]);

/**
 * Turns the messages about one session into what is shown of it: the same for a session that runs, one that is read again,
 * and one as it was at an earlier event. Stored events must come once and in order, as `followSession` delivers them.
 *
 * The view is changed in place, because a session may have tens of thousands of events; an entry is replaced when it changes,
 * and a lane's revision rises.
 */
export class SessionFold {
  readonly #stages = new StagesView();
  /** The execution of each entry that may still change. */
  readonly #open = new Map<string, string>();
  readonly #texts = new Map<string, StreamedText>();
  readonly #doing = new Map<string, string>();
  readonly #toolProgress = new Map<string, MessageOf<"tool.progress">>();

  /** The session as of the last message; it changes with the next one. */
  get view(): SessionView {
    return this.#stages.view;
  }

  /** The session as it is now, for components that compare by identity: a lane that has not changed is the one of before. */
  snapshot(): SessionView {
    return this.#stages.snapshot();
  }

  /** The text of an open entry as far as it was streamed; undefined for one that is complete, or before its first chunk. */
  text(entryId: string): StreamedText | undefined {
    return this.#texts.get(entryId);
  }

  /** What an agent said last that it does; undefined once it has ended. */
  doing(executionId: string): string | undefined {
    return this.#doing.get(executionId);
  }

  /** What a running tool call has reached. */
  toolProgress(entryId: string): MessageOf<"tool.progress"> | undefined {
    return this.#toolProgress.get(entryId);
  }

  /** Takes the next message. */
  apply(message: SessionMessage): void {
    switch (message.type) {
      case "stream.chunk":
        return this.#addChunk(message);
      case "tool.progress":
        if (this.#open.has(message.event_id)) this.#toolProgress.set(message.event_id, message);
        return;
      case "execution.progress":
        if (!this.#stages.lanes.has(message.execution_id)) return;
        this.#doing.set(message.execution_id, message.message);
        return;
      default:
        return this.#applyStored(message);
    }
  }

  #applyStored(message: NumberedEvent): void {
    const view = this.#stages.view;
    view.seq = message.seq;
    view.at = message.timestamp;
    if (isWithoutEntry(message)) {
      view.parked = parkingOf(message, view.parked);
      return;
    }
    switch (message.type) {
      case "session.status":
      case "session.completed":
        return this.#changeSession(message);
      case "session.taken_over":
        return this.#takeOver(message);
      case "session.progress":
        view.progress = {
          stage: message.current_stage_index,
          stages: message.total_stages,
          name: message.current_stage_name,
          active: message.active_executions,
          text: message.status_text,
        };
        return;
      case "stage.started":
      case "stage.completed":
        return this.#changeStage(message);
      case "execution.status":
        return this.#changeExecution(message);
      case "timeline_event.created":
        return this.#addEntry(message);
      case "timeline_event.completed":
        return this.#complete(message);
      case "approval.requested":
        return this.#insert(
          this.#stages.laneOf(message, message.agent_name),
          askedEntry(message, this.#last(message)),
        );
      case "approval.decided":
        return this.#decide(message);
      case "review.status":
        view.review = { status: message.review_status, assignee: message.assignee };
        return;
      case "session.score_updated":
        view.scoring = {
          id: message.score_id,
          status: message.scoring_status,
          score: message.total_score ?? view.scoring?.score,
          seq: message.seq,
        };
        return;
      case "conclusion.checked": {
        const { status, claims_verified: verified, claims_total: total, seq } = message;
        view.conclusion = { status, verified, total, seq };
        return;
      }
      case "interaction.created": {
        const { llm, mcp } = view.interactions;
        const isLlm = message.interaction_type === "llm";
        view.interactions = isLlm ? { llm: llm + 1, mcp } : { llm, mcp: mcp + 1 };
        return;
      }
      default:
        message satisfies never;
    }
  }

  #changeSession({
    type,
    status,
    error_message,
    timestamp,
  }: MessageOf<"session.status" | "session.completed">): void {
    const view = this.#stages.view;
    view.status = status;
    view.error = error_message;
    if (status === "in_progress") view.startedAt ??= timestamp;
    if (isTerminal(status)) {
      view.progress = undefined;
      view.parked = undefined;
    }
    if (type === "session.completed") view.endedAt = timestamp;
  }

  #takeOver({ timestamp, silent_ms }: MessageOf<"session.taken_over">): void {
    const view = this.#stages.view;
    // Later takeovers are those of an answer or a scoring.
    if (view.endedAt !== undefined) return;
    view.takeovers = [...view.takeovers, { at: timestamp, silentMs: silent_ms }];
  }

  #changeStage(message: MessageOf<"stage.started" | "stage.completed">): void {
    const { stage_id, status, timestamp } = message;
    const stage = this.#stages.stage(stage_id);
    if (stage !== undefined) {
      stage.status = status;
      if (isTerminal(status)) stage.endedAt = timestamp;
      return;
    }
    this.#stages.addStage(stage_id, message);
  }

  #changeExecution(message: MessageOf<"execution.status">): void {
    const { execution_id, status, error_message, timestamp } = message;
    const lane = this.#stages.laneOf(message, message.agent_name, message.agent_index);
    // An entry of it, such as its task or its question, may have come before it began.
    lane.agent ||= message.agent_name;
    lane.index = message.agent_index;
    lane.status = status;
    lane.error = error_message;
    lane.revision += 1;
    if (status === "active") lane.startedAt ??= timestamp;
    if (!isTerminal(status)) return;
    lane.endedAt = timestamp;
    this.#doing.delete(execution_id);
    this.#endOpenCalls(lane, status, timestamp);
  }

  /** An agent that ended does not see the results of its open calls any more. */
  #endOpenCalls(lane: WritableLane, status: RunStatus, timestamp: string): void {
    for (const [position, entry] of lane.entries.entries()) {
      if (entry.call === undefined || entry.status !== "streaming" || !isTerminal(status)) continue;
      lane.entries[position] = callWithoutResult(entry, status, timestamp);
      this.#close(entry.id);
    }
  }

  #addEntry(message: MessageOf<"timeline_event.created">): void {
    const { event_type, metadata } = message;
    if (event_type === "executive_summary") {
      this.#stages.view.summary = createdEntry(message);
      return;
    }
    const lane = this.#stages.laneOf(message);
    if (event_type === "tool_result") {
      const named = new Map<string, unknown>(Object.entries(metadata ?? {})).get("call_event_id");
      const position = lane.entries.findLastIndex(({ id }) => id === named);
      const call = lane.entries[position];
      if (call === undefined) return this.#insert(lane, lostResult(message));
      lane.entries[position] = answeredCall(call, message);
      lane.revision += 1;
      this.#close(call.id);
      return;
    }
    this.#insert(lane, createdEntry(message));
  }

  #complete({ event_id, status, content, metadata, timestamp }: MessageOf<"timeline_event.completed">): void {
    const lane = this.#stages.lanes.get(this.#open.get(event_id) ?? "");
    const position = lane?.entries.findLastIndex(({ id }) => id === event_id) ?? -1;
    const entry = lane?.entries[position];
    this.#close(event_id);
    if (lane === undefined || entry === undefined) return;
    const endedAt = status === "streaming" ? undefined : timestamp;
    lane.entries[position] = {
      ...entry,
      status,
      content,
      metadata: { ...entry.metadata, ...metadata },
      endedAt,
    };
    lane.revision += 1;
  }

  #close(entryId: string): void {
    this.#open.delete(entryId);
    this.#texts.delete(entryId);
    this.#toolProgress.delete(entryId);
  }

  #decide({
    approval_id,
    execution_id,
    state,
    decided_by,
    reason,
    timestamp,
  }: MessageOf<"approval.decided">): void {
    const lane = this.#stages.lanes.get(execution_id);
    const position = lane?.entries.findLastIndex(({ id }) => id === approval_id) ?? -1;
    const entry = lane?.entries[position];
    if (lane === undefined || entry?.approval === undefined) return;
    const approval = { ...entry.approval, state, decidedBy: decided_by, reason };
    const status = state === "approved" ? "completed" : "cancelled";
    lane.entries[position] = { ...entry, approval, status, endedAt: timestamp };
    lane.revision += 1;
  }

  #addChunk({ event_id, attempt, offset, delta }: MessageOf<"stream.chunk">): void {
    if (!this.#open.has(event_id)) return;
    const text = this.#texts.get(event_id) ?? new StreamedText();
    text.add(attempt, offset, delta);
    this.#texts.set(event_id, text);
  }

  #insert(lane: WritableLane, entry: TimelineEntry): void {
    if (ANSWERS.has(entry.type) && entry.status === "streaming") this.#endThought(lane, entry.startedAt);
    const before = lane.entries.findLastIndex(({ sequence }) => sequence <= entry.sequence);
    lane.entries.splice(before + 1, 0, entry);
    lane.revision += 1;
    if (entry.status === "streaming" && entry.type !== "approval") this.#open.set(entry.id, lane.executionId);
  }

  /** A thought is stored together with the answer after it; it was over when the answer began. */
  #endThought(lane: WritableLane, at: string): void {
    const position = lane.entries.findLastIndex(
      ({ type, status }) => type === "llm_thinking" && status === "streaming",
    );
    const thought = lane.entries[position];
    if (thought === undefined) return;
    const durationMs = Math.max(0, Date.parse(at) - Date.parse(thought.startedAt));
    lane.entries[position] = { ...thought, durationMs };
  }

  #last({ execution_id }: { readonly execution_id: string }): number {
    return this.#stages.lanes.get(execution_id)?.entries.at(-1)?.sequence ?? 0;
  }
}

function parkingOf(message: EventWithoutEntry, before: SessionView["parked"]): SessionView["parked"] {
  if (message.type === "session.resumed") return undefined;
  if (message.type !== "session.parked") return before;
  const { by, actor, timestamp: at } = message;
  return { by, ...(actor === null ? {} : { actor }), at };
}

/** The session as of event `seq`: what a page showed at that moment, without the text of open entries. */
export function foldUpTo(events: readonly NumberedEvent[], seq: number): SessionFold {
  const fold = new SessionFold();
  for (const event of events) {
    if (event.seq > seq) break;
    fold.apply(event);
  }
  return fold;
}
