import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/client";
import { readableResult } from "./readable-result.ts";
import { usableTools } from "./usable-tools.ts";

/** Of the error that stands for an answer that is none of the protocol; none that a server may give. */
export const INVALID_ANSWER_CODE = -32_098;

/**
 * The requests of one connection that have no answer yet. Both eras of the library check an answer as a whole: one unknown
 * part of a result, or one malformed tool, would discard all others. So answers pass through here first.
 */
export class UnansweredRequests {
  /** Methods by id, which some servers send back as text. */
  readonly #methods = new Map<string, string>();
  #lastId = -1;

  /** To be called with each message before it is sent. */
  sent(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      this.#methods.set(String(message.id), message.method);
      if (typeof message.id === "number") this.#lastId = Math.max(this.#lastId, message.id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#methods.delete(String(message.params?.["requestId"]));
    }
  }

  /** The request gets no answer any more. */
  forget(id: RequestId): void {
    this.#methods.delete(String(id));
  }

  /** The message as the library is to get it. To be called with each message that is received. */
  received(message: JSONRPCMessage): JSONRPCMessage {
    if (isJSONRPCErrorResponse(message)) {
      this.#methods.delete(String(message.id));
      return message;
    }
    if (!isJSONRPCResultResponse(message)) return message;
    const method = this.#methods.get(String(message.id));
    this.#methods.delete(String(message.id));
    if (method === "tools/call") return { ...message, result: readableResult(message.result) };
    if (method === "tools/list") return { ...message, result: usableTools(message.result) };
    return message;
  }

  /** Whether a request with this id waits for its answer. */
  has(id: unknown): boolean {
    return (typeof id === "number" || typeof id === "string") && this.#methods.has(String(id));
  }

  /** Whether no request of this connection ever had this id. */
  isForeign(id: RequestId | undefined): boolean {
    return typeof id === "number" && id > this.#lastId;
  }

  /** The ids of the requests that wait. */
  get ids(): readonly string[] {
    return [...this.#methods.keys()];
  }
}

/** The message that ends a request in place of an answer that cannot be read. */
export function invalidAnswer(id: string, why: string): JSONRPCMessage {
  const known = /^\d+$/u.test(id) ? Number(id) : id;
  return { jsonrpc: "2.0", id: known, error: { code: INVALID_ANSWER_CODE, message: why } };
}
