import type { SessionView, WireMessage } from "./tarsy-client.ts";

interface ReceivedEvent {
  status: string;
  content: string;
  attempt: number;
}

/** A client's view of a session by the rules of docs/websocket-protocol.md, and every message that violates them. */
export class ReceivedTimeline {
  readonly #events = new Map<string, ReceivedEvent>();
  readonly #violations: string[] = [];
  #seq = 0;
  #ended = false;
  #status = "";

  get lastSeq(): number {
    return this.#seq;
  }

  /** Whether the last message was received. */
  get ended(): boolean {
    return this.#ended;
  }

  add(message: WireMessage): void {
    const { type, seq } = message;
    if (typeof seq === "number") {
      if (seq !== this.#seq + 1) this.#violations.push(`seq ${seq} after ${this.#seq}`);
      this.#seq = seq;
    }
    if (type === "session.status" || type === "session.completed") this.#status = String(message["status"]);
    this.#ended ||= type === "session.completed";
    if (type === "error") this.#violations.push(String(message["message"]));
    if (type === "timeline_event.created") this.#set(message, 0);
    if (type === "timeline_event.completed") this.#complete(message);
    if (type === "stream.chunk") this.#chunk(message);
  }

  /** All violations in the received messages, and the differences between the final state and the REST view. */
  differences(session: SessionView): string[] {
    const wrong = [...this.#violations];
    if (this.#status !== session.status) wrong.push(`status ${this.#status}, not ${session.status}`);
    const [here, there] = [this.#events.size, session.timeline.length];
    if (here !== there) wrong.push(`${here} events, not ${there}`);
    for (const { event_id, status, content } of session.timeline) {
      const event = this.#events.get(event_id);
      if (event?.status !== status) wrong.push(`${event_id} is ${event?.status}, not ${status}`);
      if (event?.content !== content) wrong.push(`${event_id} has "${event?.content}", not "${content}"`);
    }
    return wrong;
  }

  #set(message: WireMessage, attempt: number): void {
    const [status, content] = [String(message["status"]), String(message["content"])];
    this.#events.set(String(message["event_id"]), { status, content, attempt });
  }

  #complete(message: WireMessage): void {
    const streamed = this.#events.get(String(message["event_id"]))?.content.trim() ?? "";
    const content = String(message["content"]);
    if (message["status"] === "completed" && !content.includes(streamed)) {
      this.#violations.push(`streamed "${streamed}" is not part of "${content}"`);
    }
    this.#set(message, 0);
  }

  #chunk(message: WireMessage): void {
    const event = this.#events.get(String(message["event_id"]));
    if (event?.status !== "streaming") {
      this.#violations.push(`a chunk of an event that is ${event?.status}`);
      return;
    }
    const [attempt, offset] = [Number(message["attempt"]), Number(message["offset"])];
    if (attempt < event.attempt) this.#violations.push(`attempt ${attempt} after ${event.attempt}`);
    if (attempt > event.attempt) event.content = "";
    if (offset > event.content.length) {
      this.#violations.push(`offset ${offset} after ${event.content.length}`);
    }
    event.attempt = attempt;
    event.content = event.content.slice(0, offset) + String(message["delta"]);
  }
}
