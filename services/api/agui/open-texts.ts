import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { TimelineEventType } from "#shared/contracts/statuses.ts";
import type { AguiEvent } from "./agui-event.ts";

interface TextEntry {
  readonly event_id: string;
  readonly event_type: TimelineEventType;
  readonly execution_id: string;
}

interface OpenText extends TextEntry {
  readonly tag: { readonly subagentRunId?: string };
  /** Nothing of it is sent before it is complete. */
  readonly isHeld: boolean;
  attempt: number;
  /** The number of its message. */
  part: number;
  /** What was sent of that message. */
  sent: string;
}

/**
 * The texts that agents are writing, as messages of AG-UI, which only grow: a text that begins anew, or that ends otherwise than it
 * began, ends its message, and goes on in one with a number in its id.
 */
export class OpenTexts {
  readonly #open = new Map<string, OpenText>();

  has(eventId: string): boolean {
    return this.#open.has(eventId);
  }

  isHeld(eventId: string): boolean {
    return this.#open.get(eventId)?.isHeld === true;
  }

  /** The agent that writes a text. */
  ownerOf(eventId: string): string | undefined {
    return this.#open.get(eventId)?.execution_id;
  }

  open(entry: TextEntry, tag: OpenText["tag"]): readonly AguiEvent[] {
    const text = { ...entry, tag, isHeld: false, attempt: 1, part: 1, sent: "" };
    this.#open.set(entry.event_id, text);
    return begin(text);
  }

  /** Opens a text of which nothing is sent. */
  hold(entry: TextEntry): readonly AguiEvent[] {
    this.#open.set(entry.event_id, { ...entry, tag: {}, isHeld: true, attempt: 1, part: 1, sent: "" });
    return [];
  }

  /** Takes a piece of text; one that does not follow what was sent is left to the completed text. */
  add({ event_id, attempt, offset, delta }: StreamChunk): readonly AguiEvent[] {
    const text = this.#open.get(event_id);
    if (text === undefined || text.isHeld || attempt < text.attempt) return [];
    const restarted = attempt > text.attempt ? restart(text) : [];
    text.attempt = attempt;
    return [
      ...restarted,
      ...(offset > text.sent.length ? [] : grow(text, delta.slice(text.sent.length - offset))),
    ];
  }

  /** Ends a text with what it is at last. */
  complete(eventId: string, content: string): readonly AguiEvent[] {
    const text = this.#open.get(eventId);
    if (text === undefined) return [];
    this.#open.delete(eventId);
    if (text.isHeld) return [];
    const restarted = content.startsWith(text.sent) ? [] : restart(text);
    return [...restarted, ...grow(text, content.slice(text.sent.length)), ...end(text)];
  }

  /** Ends the texts of an agent as they are. */
  closeOf(executionId: string): readonly AguiEvent[] {
    return [...this.#open.values()]
      .filter(({ execution_id }) => execution_id === executionId)
      .flatMap(this.#close);
  }

  closeAll(): readonly AguiEvent[] {
    return [...this.#open.values()].flatMap(this.#close);
  }

  readonly #close = (text: OpenText): readonly AguiEvent[] => {
    this.#open.delete(text.event_id);
    return text.isHeld ? [] : end(text);
  };
}

function idOf({ event_id, part }: OpenText): string {
  return part === 1 ? event_id : `${event_id}#${part}`;
}

function restart(text: OpenText): readonly AguiEvent[] {
  if (text.sent === "") return [];
  const ended = end(text);
  text.part += 1;
  text.sent = "";
  return [...ended, ...begin(text)];
}

function begin(text: OpenText): readonly AguiEvent[] {
  const messageId = idOf(text);
  const { tag } = text;
  if (text.event_type !== "llm_thinking") {
    return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...tag }];
  }
  return [
    { type: "REASONING_START", messageId, ...tag },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning", ...tag },
  ];
}

function grow(text: OpenText, delta: string): readonly AguiEvent[] {
  if (delta === "") return [];
  text.sent += delta;
  const type = text.event_type === "llm_thinking" ? "REASONING_MESSAGE_CONTENT" : "TEXT_MESSAGE_CONTENT";
  return [{ type, messageId: idOf(text), delta, ...text.tag }];
}

function end(text: OpenText): readonly AguiEvent[] {
  const messageId = idOf(text);
  const { tag } = text;
  if (text.event_type !== "llm_thinking") return [{ type: "TEXT_MESSAGE_END", messageId, ...tag }];
  return [
    { type: "REASONING_MESSAGE_END", messageId, ...tag },
    { type: "REASONING_END", messageId, ...tag },
  ];
}
