import { isUuid } from "#shared/contracts/uuid.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { parseJson } from "#shared/parse-json.ts";
import type { Channel } from "../subscriptions/client-subscriptions.ts";
import type { Cursor } from "../subscriptions/session-history.ts";

type ClientMessage =
  | { readonly action: "subscribe"; readonly channel: Channel; readonly cursor: Cursor | undefined }
  | { readonly action: "unsubscribe"; readonly channel: Channel }
  | { readonly action: "catchup"; readonly channel: Channel; readonly lastEventId: number }
  | { readonly action: "ping" };

const ACTIONS = "subscribe, unsubscribe, catchup or ping";
const MAX_SEQ = 2_147_483_647;
const SESSION_PREFIX = "session:";

/** Parses one text message of a client. Throws TerminalError `bad_message`; its message says what is allowed. */
export function parseClientMessage(text: string): ClientMessage {
  const fields = parseFields(text);
  const action = fields["action"];
  switch (action) {
    case "ping":
      return { action };
    case "subscribe":
      return parseSubscribe(fields);
    case "unsubscribe":
      return { action, channel: parseChannel(fields["channel"], action) };
    case "catchup": {
      const channel = parseChannel(fields["channel"], action);
      const lastEventId = parseNumber(fields["last_event_id"], "last_event_id", Number.MAX_SAFE_INTEGER);
      if (lastEventId === undefined) throw bad("last_event_id is required for catchup");
      return { action, channel, lastEventId };
    }
    case undefined:
      throw bad(`action is required: use ${ACTIONS}`);
    default:
      throw bad(`action ${quote(action)} is unknown: use ${ACTIONS}`);
  }
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw bad(`the message is nested too deeply: ${error.message}`);
    throw bad(`the message is not valid JSON (${errorMessage(error).slice(0, 100)}): send a JSON object`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw bad('the message must be a JSON object such as {"action":"subscribe","channel":"sessions"}');
  }
  return { ...value };
}

function parseSubscribe(fields: Readonly<Record<string, unknown>>): ClientMessage {
  const channel = parseChannel(fields["channel"], "subscribe");
  const afterSeq = parseNumber(fields["after_seq"], "after_seq", MAX_SEQ);
  const lastEventId = parseNumber(fields["last_event_id"], "last_event_id", Number.MAX_SAFE_INTEGER);
  if (channel.target.kind === "sessions" && (afterSeq ?? lastEventId) !== undefined) {
    throw bad("channel sessions is live only: subscribe without after_seq and last_event_id");
  }
  let cursor: Cursor | undefined;
  if (afterSeq !== undefined) cursor = { afterSeq, lastEventId };
  else if (lastEventId !== undefined) cursor = { lastEventId };
  return { action: "subscribe", channel, cursor };
}

function parseChannel(value: unknown, action: string): Channel {
  if (value === undefined || value === null || value === "") throw bad(`channel is required for ${action}`);
  if (value === "sessions") return { name: value, target: { kind: "sessions" } };
  if (typeof value === "string" && value.startsWith(SESSION_PREFIX)) {
    const sessionId = value.slice(SESSION_PREFIX.length);
    // Ids are lower case in Postgres and in subjects.
    if (isUuid(sessionId)) {
      return { name: value, target: { kind: "session", sessionId: sessionId.toLowerCase() } };
    }
  }
  throw bad(`channel ${quote(value)} is unknown: use session:<session id, a UUID> or sessions`);
}

/** Undefined when the field is missing or null. */
function parseNumber(value: unknown, name: string, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw bad(`${name} must be a whole number from 0 to ${max}`);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function bad(message: string): TerminalError {
  return new TerminalError("bad_message", message);
}
