import type { FetchLike } from "@modelcontextprotocol/client";
import { Agent, fetch } from "undici";
import { ByteRoom } from "../../byte-room.ts";
import { McpFailure } from "../mcp-failure.ts";
import type { HttpSettings } from "../server-settings.ts";
import { callInFlight, type CallInFlight } from "./call-in-flight.ts";
import { saysForgottenSession } from "./forgotten-session.ts";
import { connectionFailure, statusFailure } from "./http-failure.ts";
import { readableEvents, readableJson, textOf, type ReadMessages } from "./readable-bodies.ts";

interface ServerFetchOptions {
  readonly settings: HttpSettings;
  readonly connectTimeoutMs: number;
  /** The limit of a response, and of one event of an endless response. */
  readonly maxBytes: number;
  /** An event stream that the server should keep open has ended. */
  readonly onEventStreamEnd: () => void;
  /** Changes the messages of each body; by default they stay as they are. */
  readonly read?: ReadMessages;
  /** The room for the bytes of large bodies; by default there is room for all. */
  readonly room?: ByteRoom;
}

/** The header `Authorization` of the request of a response, which may differ from that of the next request. */
export const usedAuthorization = new WeakMap<Response, string>();

/**
 * fetch for one server: its certificates and connect timeout, no redirects, bounded bodies. What happens to the request
 * of a call is reported to its `CallInFlight`. Disposal closes all connections.
 */
export function serverFetch({
  settings,
  connectTimeoutMs,
  maxBytes,
  onEventStreamEnd,
  read = (text) => text,
  room = new ByteRoom(Number.POSITIVE_INFINITY),
}: ServerFetchOptions): {
  readonly fetch: FetchLike;
} & AsyncDisposable {
  const { verifySsl, ca, clientCertificate } = settings;
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: connectTimeoutMs,
      rejectUnauthorized: verifySsl,
      ...(ca === undefined ? {} : { ca }),
      ...clientCertificate,
    },
  });
  const fetchOnce: FetchLike = async (input, init = {}) => {
    const call = callInFlight.getStore();
    const headers = new Headers(init.headers);
    const received = await request(agent, input, { ...init, headers }, call);
    const type = mediaType(received);
    const isStream = type === EVENTS;
    if (call !== undefined) call.isStreamed = isStream;
    const isEndless = (init.method ?? "GET") === "GET" && received.ok && isStream;
    const held = new DisposableStack();
    const memory = held.use(room.enter());
    const signal = AbortSignal.any([init.signal, call?.closing].filter((one) => one instanceof AbortSignal));
    const take = async (bytes: number) => memory.take(bytes, signal);
    const watched =
      received.body && watchBody(received.body, { maxBytes, isEndless, call, onEventStreamEnd, take });
    const response = await readableResponse(received, watched, { type, sent: init.body, read, held });
    usedAuthorization.set(response, headers.get("authorization") ?? "");
    return checked(response, headers, call);
  };
  const checked = async (response: Response, headers: Headers, call: CallInFlight | undefined) => {
    const { status } = response;
    // The session is part of the address with the older transport.
    const hasSession = headers.has("mcp-session-id") || settings.type === "sse";
    if ((status === 400 || status === 410) && call !== undefined && hasSession) {
      return refusedOrForgotten(response);
    }
    const failure = statusFailure(response, hasSession);
    const isRedirect = status >= 300 && status < 400;
    // The library answers a 401 with a new token, and reads an error of the protocol from a 400.
    const isForLibrary = status === 400 || (status === 401 && settings.auth !== undefined);
    if (failure !== undefined && (isRedirect || (call !== undefined && !isForLibrary))) {
      await response.body?.cancel().catch(() => undefined);
      throw failure;
    }
    return response;
  };
  return {
    fetch: fetchOnce,
    [Symbol.asyncDispose]: async () => agent.destroy(),
  };
}

/**
 * The same response, its body read. Throws if the server seems not to know the session; the words of a response do not
 * prove that the call has not run.
 */
async function refusedOrForgotten(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.text();
  if (status !== 410 && !saysForgottenSession(body)) {
    return new Response(body, { status, statusText, headers });
  }
  const message = `the server does not know the session any more (HTTP status ${status})`;
  throw new McpFailure("session_gone", "maybe", message, { code: status });
}

const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";

/** The type of a body without parameters, in small letters. */
function mediaType({ headers }: Pick<Response, "headers">): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/**
 * The response as the client library is to get it: messages changed by `read`, and what servers write beside the protocol in its
 * form: an answer that does not say that it is one, and a status that does not say that a notification was taken.
 */
async function readableResponse(
  { status, statusText, ok, headers }: Pick<Response, "status" | "statusText" | "ok" | "headers">,
  body: AsyncGenerator<Uint8Array> | null,
  {
    type,
    sent,
    read,
    held,
  }: {
    readonly type: string;
    readonly sent: unknown;
    readonly read: ReadMessages;
    readonly held: DisposableStack;
  },
): Promise<Response> {
  const given = { status, statusText, headers: new Headers([...headers]) };
  const answer = (content: AsyncIterable<Uint8Array>, as: string, code = status) => {
    given.headers.set("content-type", as);
    return new Response(ReadableStream.from(thenReleased(content, held)), { ...given, status: code });
  };
  if (body === null) return new Response(null, given);
  if (type === EVENTS) return answer(readableEvents(body, read, held), EVENTS);
  if (typeof sent !== "string" || !ok) {
    return type === JSON_TYPE
      ? answer(readableJson(body, read, held), JSON_TYPE)
      : new Response(ReadableStream.from(thenReleased(body, held)), given);
  }
  if (sent.includes('"method":"notifications/')) {
    await body.return(undefined);
    return new Response(null, { ...given, status: 202 });
  }
  if (type === JSON_TYPE && status !== 202) return answer(readableJson(body, read, held), JSON_TYPE);
  const text = await textOf(body);
  const content = ReadableStream.from([new TextEncoder().encode(text)]);
  if (/^\s*[{[]/u.test(text)) return answer(readableJson(content, read, held), JSON_TYPE, 200);
  if (/^(?:data|event|id|retry)?:/u.test(text)) {
    return answer(readableEvents(content, read, held), EVENTS, 200);
  }
  held.dispose();
  return new Response(text, given);
}

/** The body, and what was taken for it given back after its end. */
async function* thenReleased(
  body: AsyncIterable<Uint8Array>,
  held: DisposableStack,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    held.dispose();
  }
}

async function request(
  dispatcher: Agent,
  input: string | URL,
  { method = "GET", body = null, signal = null, headers }: RequestInit & { readonly headers: Headers },
  call: CallInFlight | undefined,
) {
  if (body !== null && typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("the client library must call fetch with a text");
  }
  const signals = [signal, call?.closing].filter((one) => one !== null && one !== undefined);
  return fetch(input, {
    method,
    headers: [...headers],
    body: body === null ? null : String(body),
    signal: AbortSignal.any(signals),
    redirect: "manual",
    dispatcher,
  }).catch((error: unknown) => {
    throw signals.some(({ aborted }) => aborted) ? error : connectionFailure(error);
  });
}

/** The start of a body that needs no room. */
const SMALL_BYTES = 1024 * 1024;
const EVENT_ENDS = ["\n\n", "\r\n\r\n", "\r\r"];

interface WatchedBody {
  readonly maxBytes: number;
  /** A stream of events that has no last one: only each event is bounded. */
  readonly isEndless: boolean;
  readonly call: CallInFlight | undefined;
  readonly onEventStreamEnd: () => void;
  /** Waits for room. */
  readonly take: (bytes: number) => Promise<void>;
}

/** Passes a body on. However it ends, also cut or left, the end of an endless one is reported. */
async function* watchBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, isEndless, call, onEventStreamEnd, take }: WatchedBody,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      const eventEnd = isEndless ? Math.max(...EVENT_ENDS.map((end) => text.lastIndexOf(end))) : -1;
      bytes = eventEnd === -1 ? bytes + chunk.length : chunk.length - eventEnd;
      if (bytes > maxBytes) {
        const failure = new McpFailure(
          "too_large",
          "maybe",
          `the server's answer has more than ${maxBytes} bytes`,
        );
        call?.fail(failure);
        throw failure;
      }
      if (!isEndless && bytes > SMALL_BYTES) await take(chunk.length);
      yield chunk;
    }
  } finally {
    if (isEndless) onEventStreamEnd();
  }
}
