import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
} from "@modelcontextprotocol/client";
import { parseExactJson, withPlainNumbers, isObject } from "#shared/exact-json.ts";
import { isEmptyList, readableError, readableHandshake, withoutNulls } from "./readable-messages.ts";
import { usableTools } from "./usable-tools.ts";
import { partTexts } from "./result-text.ts";

/** The key of a call's id in the request: a server may use it to recognise a call that it has had before. */
export const CALL_ID_KEY = "tarsy/call-id";

/** The code of the error that stands for an answer that is none of the protocol; none that a server may give. */
export const INVALID_ANSWER_CODE = -32_098;

/** The result of a call, and the memory that it holds. */
interface HeldAnswer {
  readonly result: object;
  readonly memory: Disposable;
}

/** For messages that are known to be of the protocol: the library's own checks validate the whole message again. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

/** The same for an answer or an error. */
export function isAnswer(message: JSONRPCMessage): message is JSONRPCErrorResponse | JSONRPCResultResponse {
  return !("method" in message);
}

interface Unanswered {
  /** The id as it was sent: some servers send it back as text. */
  readonly id: RequestId;
  readonly method: string;
  /** The id of a call. */
  readonly callId: string | undefined;
}

/**
 * The requests of one connection that have no answer yet. The library checks a message as a whole: one unknown part of a result,
 * one malformed tool or one `null` would discard all others, and its numbers are doubles. So what a server writes passes through
 * here first, and the result of a call not through the library at all.
 */
export class UnansweredRequests {
  /** Keyed by id as text. */
  readonly #requests = new Map<string, Unanswered>();
  /** Keyed by the call's id. */
  readonly #results = new Map<string, HeldAnswer>();
  #lastId = -1;

  /** Call it with each message before it is sent. */
  sent(message: JSONRPCMessage): void {
    if (isRequest(message)) {
      const { id, method, params } = message;
      const callId: unknown = params?._meta?.[CALL_ID_KEY];
      this.#requests.set(String(id), { id, method, callId: typeof callId === "string" ? callId : undefined });
      if (typeof id === "number") this.#lastId = Math.max(this.#lastId, id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#requests.delete(String(message.params?.["requestId"]));
    }
  }

  /** The request gets no answer any more. */
  forget(id: RequestId): void {
    this.#requests.delete(String(id));
  }

  /** The text of messages as the library is to get it; itself if it is no JSON. */
  readableText(text: string, held = new DisposableStack()): string {
    try {
      return JSON.stringify(this.readable(parseExactJson(text), held));
    } catch {
      return text;
    }
  }

  /**
   * The output of a server, one message or several, as the library is to get it. The results of calls are kept here, with what is
   * held for them.
   */
  readable(written: unknown, held: DisposableStack): unknown {
    if (Array.isArray(written)) return written.map((one: unknown) => this.readable(one, held));
    if (!isObject(written)) return written;
    const { jsonrpc, id, method, result, error, params } = written;
    const hasResult = isSaid(result);
    const hasError = isSaid(error) && !(hasResult && isEmpty(error));
    const request = this.#find(id);
    const isCall = isSaid(method);
    const known = {
      jsonrpc: isCall || request === undefined ? jsonrpc : "2.0",
      ...(isSaid(id) ? { id: request?.id ?? id } : {}),
    };
    // The library refuses members that it does not know.
    if (isCall) {
      return { ...known, method, ...(isObject(params) ? { params: plain(params) } : {}) };
    }
    // Both is neither.
    if (hasError && hasResult) return written;
    if (hasError) return { ...known, error: readableError(error) };
    if (!("result" in written)) return written;
    const read = isEmptyList(result) ? {} : result;
    return { ...known, result: isObject(read) ? this.#readableResult(request, read, held) : read };
  }

  #readableResult(
    request: Unanswered | undefined,
    result: Record<string, unknown>,
    held: DisposableStack,
  ): unknown {
    switch (request?.method) {
      case "tools/call": {
        const read = readableResult(result);
        if (read === undefined || request.callId === undefined) return read ?? plain(result);
        this.takeResult(request.callId)?.memory[Symbol.dispose]();
        this.#results.set(request.callId, { result: read, memory: held.disposed ? held : held.move() });
        const { resultType } = result;
        return { ...(typeof resultType === "string" ? { resultType } : {}), content: [] };
      }
      case "tools/list":
        return withPlainNumbers(usableTools(result));
      case "initialize":
        return withPlainNumbers(readableHandshake(result));
      default:
        return plain(result);
    }
  }

  /** Call it with each message that the library has got. */
  received(message: JSONRPCMessage): void {
    if (isAnswer(message)) this.#requests.delete(String(message.id));
  }

  /** The result of a call, once. */
  takeResult(callId: string): HeldAnswer | undefined {
    const result = this.#results.get(callId);
    this.#results.delete(callId);
    return result;
  }

  /** True if a request with this id waits for its answer. */
  has(id: unknown): boolean {
    return this.#find(id) !== undefined;
  }

  /** True if no request of this connection ever had this id. */
  isForeign(id: RequestId | undefined): boolean {
    return typeof id === "number" && id > this.#lastId;
  }

  /** The ids of the requests that wait. */
  get ids(): readonly RequestId[] {
    return [...this.#requests.values()].map(({ id }) => id);
  }

  #find(id: unknown): Unanswered | undefined {
    return typeof id === "number" || typeof id === "string"
      ? this.#requests.get(String(id).trim())
      : undefined;
  }
}

function isSaid(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/** Some servers send an error beside each result: an empty one is none. */
function isEmpty(error: unknown): boolean {
  return (
    error === "" ||
    error === false ||
    isEmptyList(error) ||
    (isObject(error) && Object.keys(error).length === 0)
  );
}

function plain(value: unknown): unknown {
  return withoutNulls(withPlainNumbers(value));
}

/** The message that ends a request in place of an answer that cannot be read. */
export function invalidAnswer(id: RequestId, why: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: INVALID_ANSWER_CODE, message: why } };
}

const ID = String.raw`"id"\s*:\s*(?<id>\d{1,15}|"[^"\\]{0,100}")`;
/** Members may come in any order; the id is the message's own if nothing but its version stands before it. */
const AT_START = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`, "u");
const AT_END = new RegExp(
  String.raw`[}\]]\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*$`,
  "u",
);

/** The id of the request that a message answers, by the start and the end of the message; undefined if they do not show it. */
export function answeredRequest(start: string, end: string): number | string | undefined {
  const { id } = AT_START.exec(start)?.groups ?? AT_END.exec(end)?.groups ?? {};
  if (id === undefined) return undefined;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}

/**
 * The result of a call as texts, numbers with all their digits; undefined for a result of another kind, and for what is no result of a
 * call at all. The library refuses a result as a whole for one part that it does not know; a call that was answered must not
 * count as one without an answer.
 */
function readableResult(result: Readonly<Record<string, unknown>>): object | undefined {
  const { resultType, content, structuredContent, isError, ...others } = result;
  if (!("content" in result || "structuredContent" in result)) return undefined;
  if ((resultType ?? "complete") !== "complete") return undefined;
  const isOther = Object.entries(others).some(
    ([name, value]) => value !== null && OF_OTHER_RESULTS.has(name),
  );
  if (isOther) return undefined;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content ?? []].flat();
  return {
    // Part by part: a value that is split between two is masked where they are joined.
    content: partTexts({ content: parts.map((part) => withoutNulls(part)), structuredContent }).map(
      (text) => ({ type: "text", text }),
    ),
    isError: isError === true || isError === "true",
  };
}

const OF_OTHER_RESULTS = new Set(["task", "inputRequests", "requestState"]);
