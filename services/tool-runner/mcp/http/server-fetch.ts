import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { FetchLike } from "@modelcontextprotocol/client";
import { Agent, request } from "undici";
import { ByteRoom } from "../../byte-room.ts";
import { McpFailure } from "../mcp-failure.ts";
import type { HttpSettings, ServerSettings } from "../server-settings.ts";
import { callInFlight, type CallInFlight } from "./call-in-flight.ts";
import { saysForgottenSession } from "./forgotten-session.ts";
import { connectionFailure, statusFailure } from "./http-failure.ts";
import { readableEvents, textOf, type ReadMessages } from "./readable-bodies.ts";

interface ServerFetchOptions {
  readonly settings: HttpSettings;
  /** The connections to the server. */
  readonly agent: Agent;
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
 * The connections to a server, with its certificates, for all requests of this process to it: credentials are in the headers of
 * each request. One that is unused for some seconds is closed, all are by `destroy`.
 */
export function serverAgent({ transport, connectTimeoutMs }: ServerSettings): Agent {
  const { verifySsl = true, ca, clientCertificate } = transport.type === "stdio" ? {} : transport;
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: connectTimeoutMs,
      rejectUnauthorized: verifySsl,
      ...(ca === undefined ? {} : { ca }),
      ...clientCertificate,
    },
  });
}

/**
 * fetch for one server: no redirects, bounded bodies. What happens to the request of a call is reported to its `CallInFlight`. Only
 * the signal of a request ends it before its response does.
 */
export function serverFetch({
  settings,
  agent,
  maxBytes,
  onEventStreamEnd,
  read = (text) => text,
  room = new ByteRoom(Number.POSITIVE_INFINITY),
}: ServerFetchOptions): FetchLike {
  return async (input, init = {}) => {
    const call = callInFlight.getStore();
    const headers = new Headers(init.headers);
    const signals = [init.signal, call?.closing].filter((one) => one instanceof AbortSignal);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const { body, encoding, ...answer } = await send(agent, input, { ...init, headers }, signal);
    const isStream = answer.type === EVENTS;
    if (call !== undefined) call.isStreamed = isStream;
    // The session is part of the address with the older transport.
    const hasSession = headers.has("mcp-session-id") || settings.type === "sse";
    const failure = refusal(answer, call, { hasSession, hasAuth: settings.auth !== undefined });
    if (failure !== undefined) {
      body.destroy();
      throw failure;
    }
    const isEndless = (init.method ?? "GET") === "GET" && answer.ok && isStream;
    const held = new DisposableStack();
    const memory = held.use(room.enter());
    const take = async (bytes: number) => memory.take(bytes, signal);
    const watched = watchBody(decoded(body, encoding), { maxBytes, isEndless, call, onEventStreamEnd, take });
    // What is left of a short body is read, so that its connection serves the next request.
    const drop = () => void body.dump().catch(() => undefined);
    const response = await readableResponse(
      { ...answer, body: watched, drop },
      { sent: init.body, read, held },
    );
    usedAuthorization.set(response, headers.get("authorization") ?? "");
    return mayBeForgotten(answer, call, hasSession) ? refusedOrForgotten(response) : response;
  };
}

/** What is known of a response before its body is read. */
interface Answer extends Pick<Response, "status" | "statusText" | "ok" | "headers"> {
  /** The type of the body without parameters, in small letters. */
  readonly type: string;
}

/** The failure of a request that the server refuses; undefined if the library is to read the response. */
function refusal(
  answer: Answer,
  call: CallInFlight | undefined,
  { hasSession, hasAuth }: { readonly hasSession: boolean; readonly hasAuth: boolean },
): McpFailure | undefined {
  if (mayBeForgotten(answer, call, hasSession)) return undefined;
  const { status } = answer;
  const isRedirect = status >= 300 && status < 400;
  // The library answers a 401 with a new token, and reads an error of the protocol from a 400.
  const isForLibrary = status === 400 || (status === 401 && hasAuth);
  return isRedirect || (call !== undefined && !isForLibrary) ? statusFailure(answer, hasSession) : undefined;
}

/** The body says whether the server refuses a call, or does not know the session any more. */
function mayBeForgotten({ status }: Answer, call: CallInFlight | undefined, hasSession: boolean): boolean {
  return (status === 400 || status === 410) && call !== undefined && hasSession;
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
/** The statuses of responses that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The response as the client library is to get it: messages changed by `read`, and what servers write beside the protocol in its
 * form: an answer that does not say that it is one, and a status that does not say that a notification was taken. All but a stream of
 * events is read to its end.
 */
async function readableResponse(
  {
    status,
    statusText,
    ok,
    headers,
    type,
    body,
    drop,
  }: Answer & { readonly body: AsyncIterable<Uint8Array>; readonly drop: () => void },
  {
    sent,
    read,
    held,
  }: { readonly sent: unknown; readonly read: ReadMessages; readonly held: DisposableStack },
): Promise<Response> {
  const answer = (content: string | ReadableStream, as: string, code = status) => {
    headers.set("content-type", as);
    return new Response(content, { status: code, statusText, headers });
  };
  const events = (content: AsyncIterable<Uint8Array>, code = status) =>
    answer(ReadableStream.from(thenReleased(readableEvents(content, read, held), held)), EVENTS, code);
  if (type === EVENTS) return events(body);
  const isAsked = typeof sent === "string" && ok;
  const isTaken = isAsked && sent.includes('"method":"notifications/');
  if (isTaken || WITHOUT_BODY.has(status)) {
    drop();
    held.dispose();
    return new Response(null, { status: isTaken ? 202 : status, statusText, headers });
  }
  try {
    const text = await textOf(body);
    if (type === JSON_TYPE && !(isAsked && status === 202)) return answer(read(text, held), JSON_TYPE);
    if (isAsked && /^\s*[{[]/u.test(text)) return answer(read(text, held), JSON_TYPE, 200);
    if (isAsked && /^(?:data|event|id|retry)?:/u.test(text)) {
      return events(ReadableStream.from([new TextEncoder().encode(text)]), 200);
    }
    return new Response(text, { status, statusText, headers });
  } finally {
    held.dispose();
  }
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

/** Sends a request; what reads its body must end it. */
async function send(
  dispatcher: Agent,
  input: string | URL,
  { method = "GET", body = null, headers }: RequestInit & { readonly headers: Headers },
  signal: AbortSignal | undefined,
) {
  if (body !== null && typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("the client library must call fetch with a text");
  }
  headers.set("accept-encoding", [...DECODERS.keys()].join(", "));
  if (!headers.has("user-agent")) headers.set("user-agent", "tarsy");
  const {
    statusCode: status,
    statusText,
    headers: received,
    body: encoded,
  } = await request(input, {
    method,
    headers,
    body: body === null ? null : String(body),
    ...(signal === undefined ? {} : { signal }),
    dispatcher,
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : connectionFailure(error);
  });
  encoded.on("error", () => undefined); // who reads it learns of it
  const all = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    for (const one of [value].flat()) all.append(name, one);
  }
  const [type = ""] = String(received["content-type"] ?? "").split(";");
  return {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: all,
    type: type.trim().toLowerCase(),
    body: encoded,
    encoding: String(received["content-encoding"] ?? "")
      .trim()
      .toLowerCase(),
  };
}

/** A body may end in the middle, and an event stream must not wait for more. */
const { Z_SYNC_FLUSH: flush, BROTLI_OPERATION_FLUSH: flushBrotli } = constants;
const DECODERS = new Map([
  ["gzip", () => createGunzip({ flush, finishFlush: flush })],
  ["deflate", () => createInflate({ flush, finishFlush: flush })],
  ["br", () => createBrotliDecompress({ flush: flushBrotli, finishFlush: flushBrotli })],
]);

function decoded(body: Readable, encoding: string): Readable {
  const decoder = DECODERS.get(encoding)?.();
  return decoder === undefined ? body : pipeline(body, decoder, () => undefined);
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
