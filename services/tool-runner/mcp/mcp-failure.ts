/**
 * The certainty that the server has begun the call: `no` is proven, so the call may be sent again in any case; after
 * `maybe` only a call without lasting effect may; `answered` is an error that the server itself gave.
 */
export type SentState = "no" | "maybe" | "answered";

export type McpFailureKind =
  /** No connection: refused, unknown host, a process that cannot be started, a handshake without answer. */
  | "unreachable"
  /** The circuit is open after repeated failures to connect. */
  | "circuit_open"
  /** A limit of this runner is reached: processes, or calls at a time. */
  | "busy"
  /** The server no longer knows the session of this connection. */
  | "session_gone"
  /** The connection ended before the answer. */
  | "closed"
  /** Neither answer nor progress within the server's limit. */
  | "timeout"
  /** The caller's signal aborted. */
  | "aborted"
  | "rate_limited"
  /** The credentials are refused. */
  | "unauthorized"
  /** Another HTTP status than success. */
  | "http_status"
  | "too_large"
  /** The answer is none of the protocol. */
  | "invalid_answer"
  /** A JSON-RPC error. */
  | "protocol_error"
  /** The server asks for input that only a person could give. */
  | "input_required";

interface Details extends ErrorOptions {
  readonly retryAfterMs?: number;
  /** The code of a JSON-RPC error, or the HTTP status. */
  readonly code?: number;
}

/** A server's own words may be of any length; they are masked before they are cut to what is shown. */
const MAX_MESSAGE_CHARS = 16_000;

/** A listing or call that ended without a result. Its message may contain what the server said, and is not masked. */
export class McpFailure extends Error {
  readonly kind: McpFailureKind;
  readonly sent: SentState;
  /** The time for which the server asked to wait. */
  readonly retryAfterMs: number | undefined;
  readonly code: number | undefined;

  constructor(kind: McpFailureKind, sent: SentState, message: string, details: Details = {}) {
    super(bounded(message), details);
    this.name = "McpFailure";
    this.kind = kind;
    this.sent = sent;
    this.retryAfterMs = details.retryAfterMs;
    this.code = details.code;
  }
}

/** A cut text ends with a whole word: half a secret does not look like one. */
function bounded(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARS) return message;
  const start = message.slice(0, MAX_MESSAGE_CHARS);
  return start.slice(0, Math.max(start.search(/\s\S*$/u), 0));
}
