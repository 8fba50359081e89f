import type {
  JSONRPCMessage,
  RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { McpFailure } from "../mcp-failure.ts";
import { CALL_ID_KEY, isAnswer, isRequest, type UnansweredRequests } from "../unanswered-requests.ts";
import { callInFlight, type CallInFlight } from "./call-in-flight.ts";

/**
 * An HTTP transport that notices the end of a response without an answer, which the library's own waits out until the
 * call's timeout, and that can close the response of one call.
 */
export class TrackedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly hasPerRequestStream: boolean;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #requests: UnansweredRequests;
  readonly #calls = new Map<string, CallInFlight>();
  /** Keyed by the id of their request; an entry goes when the answer comes. */
  readonly #unanswered = new Map<RequestId, CallInFlight>();

  /** `requests` must have seen each message of a response before the library does. */
  constructor(inner: StreamableHTTPClientTransport | SSEClientTransport, requests: UnansweredRequests) {
    this.#inner = inner;
    this.#requests = requests;
    this.hasPerRequestStream = "hasPerRequestStream" in inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message: JSONRPCMessage) => {
      if (isAnswer(message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.#requests.received(message);
      this.onmessage?.(message);
    };
  }

  get sessionId(): string | undefined {
    return "sessionId" in this.#inner ? this.#inner.sessionId : undefined;
  }

  /** Tracks the call whose request will carry this id. */
  track(callId: string, call: CallInFlight): Disposable {
    this.#calls.set(callId, call);
    return {
      [Symbol.dispose]: () => {
        this.#calls.delete(callId);
        for (const [id, other] of this.#unanswered) if (other === call) this.#unanswered.delete(id);
      },
    };
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.#requests.sent(message);
    if (!isRequest(message)) return this.#sendInner(message, options);
    const call = this.#callOf(message.params);
    const { id } = message;
    try {
      await (call === undefined
        ? this.#sendInner(message, options)
        : this.#sendCall(id, call, message, options));
    } catch (error) {
      this.#requests.forget(id);
      throw error;
    }
  }

  async #sendCall(
    id: RequestId,
    call: CallInFlight,
    message: JSONRPCMessage,
    options: TransportSendOptions,
  ): Promise<void> {
    this.#unanswered.set(id, call);
    const endWithoutAnswer = () => {
      this.#requests.forget(id);
      if (this.#unanswered.delete(id)) call.fail(endedWithoutAnswer());
    };
    const requestSignal = AbortSignal.any([
      call.closing,
      ...(options.requestSignal === undefined ? [] : [options.requestSignal]),
    ]);
    await callInFlight.run(call, () =>
      this.#sendInner(message, { ...options, requestSignal, onRequestStreamEnd: endWithoutAnswer }),
    );
    if (this.hasPerRequestStream && !call.isStreamed) endWithoutAnswer();
  }

  async #sendInner(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const inner = this.#inner;
    if (!("resumeStream" in inner)) return inner.send(message);
    const { headers, requestSignal, onRequestStreamEnd } = options;
    return inner.send(message, {
      ...(headers === undefined ? {} : { headers }),
      ...(requestSignal === undefined ? {} : { requestSignal }),
      ...(onRequestStreamEnd === undefined ? {} : { onRequestStreamEnd }),
    });
  }

  #callOf(params: unknown): CallInFlight | undefined {
    if (typeof params !== "object" || params === null || !("_meta" in params)) return undefined;
    const { _meta: meta } = params;
    if (typeof meta !== "object" || meta === null) return undefined;
    const callId: unknown = Reflect.get(meta, CALL_ID_KEY);
    return typeof callId === "string" ? this.#calls.get(callId) : undefined;
  }
}

function endedWithoutAnswer(): McpFailure {
  return new McpFailure("closed", "maybe", "the server's response ended without an answer");
}
