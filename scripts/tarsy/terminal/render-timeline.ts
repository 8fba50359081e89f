import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { messageTitle, personName } from "#shared/client/person-name.ts";
import { ShownErrors } from "./shown-errors.ts";
import { durationText, printable, type TerminalStyle } from "./terminal-style.ts";
import { TimelineBlock, doneBlock, type ScreenBlock } from "./timeline-block.ts";
import { toolName } from "./tool-name.ts";

const REPEATED = "(the message above)";

/**
 * Turns a session's messages into text for a terminal. Agents may run in parallel but a terminal has one cursor, so the
 * oldest unfinished block is shown as it grows and later blocks are queued.
 */
export class TimelineRenderer {
  readonly #write: (text: string) => void;
  readonly #style: TerminalStyle;
  readonly #blocks: ScreenBlock[] = [];
  readonly #open = new Map<string, TimelineBlock>();
  readonly #startedAt = new Map<string, number>();
  /** The name of each agent by execution id, that of a sub-agent behind its parent's. */
  readonly #names = new Map<string, string>();
  /** The names of agents that run in parallel, by execution id. */
  readonly #agents = new Map<string, string>();
  readonly #errors = new ShownErrors();
  /** The stages whose agents run in parallel. */
  readonly #parallel = new Set<string>();
  /** The last message of each agent. */
  readonly #lastMessages = new Map<string, string>();
  /** Of a fork, the number of the last event that it has from the other session; 0 once its own have begun. */
  #lastCopied: number;
  #finalAnalysis: string | undefined;

  constructor(write: (text: string) => void, style: TerminalStyle, lastCopied = 0) {
    this.#write = write;
    this.#style = style;
    this.#lastCopied = lastCopied;
  }

  /** The last completed final analysis that was shown. */
  get finalAnalysis(): string | undefined {
    return this.#finalAnalysis;
  }

  /** The reason of a failure without what was shown of it; undefined if it was shown in full. */
  unshown(reason: string): string | undefined {
    return this.#errors.rest(reason);
  }

  show(message: NotifierMessage): void {
    if (this.#lastCopied > 0 && Number(message["seq"]) > this.#lastCopied) {
      // The copied events have the times of the other session.
      this.#startedAt.clear();
      this.#lastCopied = 0;
    }
    switch (message["type"]) {
      case "session.status":
        this.#line(this.#statusLine(message));
        break;
      case "session.taken_over":
        this.#line(this.#takeoverLine(message));
        break;
      case "session.parked":
        this.#line(this.#parkedLine(message));
        break;
      case "session.resumed":
        this.#line(this.#resumedLine(message));
        break;
      case "stage.started":
        this.#startedAt.set(text(message, "stage_id"), time(message));
        if (Number(message["expected_agent_count"]) > 1) this.#parallel.add(text(message, "stage_id"));
        this.#line(
          this.#style.bold(`\n▶ Stage ${Number(message["stage_index"])}: ${text(message, "stage_name")}`),
        );
        break;
      case "stage.completed":
        this.#line(this.#stageLine(message));
        break;
      case "conclusion.checked":
        this.#line(this.#conclusionLine(message));
        break;
      case "execution.status":
        this.#execution(message);
        break;
      case "timeline_event.created":
        this.#created(message);
        break;
      case "stream.chunk":
        this.#chunk(message);
        break;
      case "timeline_event.completed":
        this.#completed(message);
        break;
      default:
        return;
    }
    this.#advance();
  }

  /** Shows all queued blocks, even if some never completed. */
  finish(): void {
    for (const block of this.#open.values()) block.done = true;
    this.#advance();
  }

  #execution(message: NotifierMessage): void {
    const [index, status] = [Number(message["agent_index"]), text(message, "status")];
    const parent = this.#names.get(text(message, "parent_execution_id"));
    const own = text(message, "agent_name");
    const name = parent === undefined ? own : `${parent} › ${own}`;
    this.#names.set(text(message, "execution_id"), name);
    const agent = parent === undefined ? `agent ${index}, ${name}` : name;
    const isNamed = this.#parallel.has(text(message, "stage_id")) || index > 1 || parent !== undefined;
    if (isNamed) this.#agents.set(text(message, "execution_id"), agent);
    if (ended(status) && status !== "completed") {
      this.#line(this.#style.red(`\n■ ${agent}: ${status.replaceAll("_", " ")}`));
    }
  }

  #created(message: NotifierMessage): void {
    const execution = text(message, "execution_id");
    const agent = this.#agents.get(execution);
    const type = text(message, "event_type");
    const tool = toolName(message["metadata"]);
    const block = new TimelineBlock(
      type === "user_question" ? (messageTitle(message["metadata"]) ?? type) : type,
      `${tool === "" ? "" : ` ${tool}`}${agent === undefined ? "" : ` (${agent})`}`,
      this.#style,
      execution,
    );
    this.#blocks.push(block);
    if (message["status"] === "streaming") this.#open.set(text(message, "event_id"), block);
    else {
      const content = raw(message, "content");
      const isRepeated = type === "final_analysis" && content === this.#lastMessages.get(execution);
      const shown = isRepeated ? REPEATED : type === "error" ? this.#errors.show(content) : content;
      block.complete(shown, text(message, "status"));
      this.#remember(message, execution);
    }
  }

  #chunk(message: NotifierMessage): void {
    const block = this.#open.get(text(message, "event_id"));
    block?.chunk(Number(message["attempt"]), Number(message["offset"]), raw(message, "delta"));
    this.#requeue(block);
  }

  #completed(message: NotifierMessage): void {
    const id = text(message, "event_id");
    const block = this.#open.get(id);
    block?.complete(raw(message, "content"), text(message, "status"));
    this.#requeue(block);
    this.#open.delete(id);
    if (block !== undefined) this.#remember(message, block.execution);
  }

  /** Queues a paused block again when it has new text. */
  #requeue(block: TimelineBlock | undefined): void {
    if (block?.hasNewText === true && !this.#blocks.includes(block)) this.#blocks.push(block);
  }

  #remember(message: NotifierMessage, execution: string): void {
    if (message["event_type"] === "llm_response") {
      this.#lastMessages.set(execution, raw(message, "content"));
    }
    if (message["event_type"] === "final_analysis" && message["status"] === "completed") {
      this.#finalAnalysis = raw(message, "content");
    }
  }

  #conclusionLine(message: NotifierMessage): string {
    const agent = this.#agents.get(text(message, "execution_id"));
    const [found, total] = [Number(message["claims_verified"]), Number(message["claims_total"])];
    const whose = agent === undefined ? "" : ` (${agent})`;
    const line = `\nConclusion ${text(message, "status")}, ${found} of ${total} claims verified${whose}`;
    return text(message, "status") === "confirmed" ? this.#style.green(line) : this.#style.bold(line);
  }

  #statusLine(message: NotifierMessage): string {
    const status = text(message, "status");
    // The line after it names the person who cancelled it.
    const why = status === "cancelled" ? undefined : this.#unshownReason(message);
    const reason = why === undefined ? "" : `: ${printable(why)}`;
    const started = this.#startedAt.get("session");
    if (status === "in_progress" && started === undefined) this.#startedAt.set("session", time(message));
    const took =
      started === undefined || !ended(status) ? "" : ` after ${durationText(time(message) - started)}`;
    const line = `\nSession ${status.replaceAll("_", " ")}${took}${reason}`;
    if (status === "completed") return this.#style.green(line);
    return ended(status) && status !== "cancelled" ? this.#style.red(line) : this.#style.dim(line);
  }

  #takeoverLine(message: NotifierMessage): string {
    const silent = durationText(Number(message["silent_ms"]));
    return this.#style.bold(
      `\n↻ Continued on another executor: the previous one was last heard from ${silent} earlier`,
    );
  }

  #parkedLine(message: NotifierMessage): string {
    const who =
      message["by"] === "operator" ? `by ${personName(text(message, "actor"))}` : "for a critical session";
    return this.#style.bold(`\n‖ Parked ${who}: it resumes later from here`);
  }

  #resumedLine(message: NotifierMessage): string {
    return this.#style.bold(`\n▶ Resumed after ${durationText(Number(message["parked_ms"]))}`);
  }

  #unshownReason(message: NotifierMessage): string | undefined {
    const reason = message["error_message"];
    if (typeof reason !== "string") return undefined;
    const rest = this.#errors.rest(reason);
    this.#errors.show(reason);
    return rest;
  }

  #stageLine(message: NotifierMessage): string {
    const status = text(message, "status");
    const started = this.#startedAt.get(text(message, "stage_id"));
    const took = started === undefined ? "" : ` in ${durationText(time(message) - started)}`;
    const line = `\n■ Stage ${Number(message["stage_index"])} ${status.replaceAll("_", " ")}${took}`;
    return status === "completed" ? this.#style.bold(line) : this.#style.red(line);
  }

  #line(line: string): void {
    this.#blocks.push(doneBlock(`${line}\n`));
  }

  #advance(): void {
    for (let block = this.#blocks[0]; block !== undefined; block = this.#blocks[0]) {
      const fresh = block.take();
      if (fresh !== "") this.#write(fresh);
      if (!block.done) {
        if (!(block instanceof TimelineBlock) || !canYield(block, this.#blocks[1])) return;
        this.#write(block.pause());
      }
      this.#blocks.shift();
    }
  }
}

/** Thinking is paused for the next block of the same agent; agents do not interrupt each other. */
function canYield(block: TimelineBlock, next: ScreenBlock | undefined): boolean {
  return (
    block.mayPause && next instanceof TimelineBlock && next.execution === block.execution && next.hasNewText
  );
}

function ended(status: string): boolean {
  return ["completed", "failed", "cancelled", "timed_out"].includes(status);
}

function raw(message: NotifierMessage, field: string): string {
  const value = message[field];
  return typeof value === "string" ? value : "";
}

function text(message: NotifierMessage, field: string): string {
  return printable(raw(message, field));
}

function time(message: NotifierMessage): number {
  return Date.parse(raw(message, "timestamp"));
}
