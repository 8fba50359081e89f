import type { SessionView, WireMessage } from "./tarsy-client.ts";

interface ReceivedEvent {
  status: string;
  content: string;
  attempt: number;
}

/** A client's picture of one session, built from its messages as docs/websocket-protocol.md says, with what was wrong. */
export class ReceivedTimeline {
  readonly #events = new Map<string, ReceivedEvent>();
  readonly #wrong: string[] = [];
  #seq = 0;
  #ended = false;
  #status = "";

  get lastSeq(): number {
    return this.#seq;
  }

  /** The last message has come. */
  get ended(): boolean {
    return this.#ended;
  }

  add(message: WireMessage): void {
    const { type, seq } = message;
    if (typeof seq === "number") {
      if (seq !== this.#seq + 1) this.#wrong.push(`seq ${seq} after ${this.#seq}`);
      this.#seq = seq;
    }
    if (type === "session.status" || type === "session.completed") this.#status = String(message["status"]);
    this.#ended ||= type === "session.completed";
    if (type === "error") this.#wrong.push(String(message["message"]));
    if (type === "timeline_event.created") this.#set(message, 0);
    if (type === "timeline_event.completed") this.#complete(message);
    if (type === "stream.chunk") this.#chunk(message);
  }

  /** Everything that was wrong on the way, and where the end differs from what REST says. */
  differences(session: SessionView): string[] {
    const wrong = [...this.#wrong];
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
      this.#wrong.push(`streamed "${streamed}" is no part of "${content}"`);
    }
    this.#set(message, 0);
  }

  #chunk(message: WireMessage): void {
    const event = this.#events.get(String(message["event_id"]));
    if (event?.status !== "streaming") {
      this.#wrong.push(`a chunk of an event that is ${event?.status}`);
      return;
    }
    const [attempt, offset] = [Number(message["attempt"]), Number(message["offset"])];
    if (attempt < event.attempt) this.#wrong.push(`attempt ${attempt} after ${event.attempt}`);
    if (attempt > event.attempt) event.content = "";
    if (offset > event.content.length) this.#wrong.push(`offset ${offset} after ${event.content.length}`);
    event.attempt = attempt;
    event.content = event.content.slice(0, offset) + String(message["delta"]);
  }
}
