import { expect } from "chai";
import { openSseServer, type SseHandler, type SseServer } from "../../../test/support/sse-server.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { ADAPTERS, ADAPTER_ENV, type Adapter, type Failure } from "./adapters.ts";
import { openGateway, type TestConfig } from "./open-gateway.ts";
import type { Frame } from "./wire-formats.ts";

/** What one call asks for beside the question of all calls. */
interface Asked {
  readonly request?: Partial<GenerateRequest>;
  readonly config?: TestConfig;
  readonly deadline?: number;
}

type Handlers = SseHandler | readonly SseHandler[];

/** A gateway, and a fake server of each adapter whose answers each call sets. A server answers one call at a time. */
export async function openStage(overrides: Parameters<typeof openGateway>[0] = {}) {
  await using stack = new AsyncDisposableStack();
  // Many calls at a time may take long to begin.
  const gateway = stack.use(await openGateway({ env: ADAPTER_ENV, stallMs: 600_000, ...overrides }));
  const servers = new Map<Adapter, SseServer>();
  const queues = new Map<Adapter, SseHandler[]>();
  for (const adapter of Object.values(ADAPTERS)) {
    // The last handler answers all further requests.
    const next = () => {
      const queue = queues.get(adapter) ?? [];
      return queue.length > 1 ? queue.shift() : queue[0];
    };
    const server = await openSseServer((reply, request) => next()?.(reply, request), adapter.contentType);
    servers.set(adapter, stack.use(server));
  }
  const serverOf = (adapter: Adapter, handlers: Handlers): SseServer => {
    queues.set(adapter, typeof handlers === "function" ? [handlers] : [...handlers]);
    const server = servers.get(adapter);
    if (server === undefined) throw new Error("an adapter outside the table");
    return server;
  };
  /** Makes one call that these handlers answer; returns what it sent, and the requests that it made. */
  const play = async (adapter: Adapter, handlers: Handlers, { request, config, deadline }: Asked = {}) => {
    const server = serverOf(adapter, handlers);
    const earlier = server.requests.length;
    const options = deadline === undefined ? {} : { deadline };
    const answer = await gateway.ask(adapter.request(server.url, request, config), options);
    expect(answer.chunks.filter(({ isFinal }) => isFinal)).to.have.length(1);
    expect(answer.chunks.at(-1)?.isFinal).to.equal(true);
    for (const secret of Object.values(ADAPTER_ENV)) {
      expect(JSON.stringify(answer.error ?? "")).not.to.contain(secret);
    }
    return { ...answer, url: server.url, requests: server.requests.slice(earlier) };
  };
  const all = stack.move();
  return {
    gateway,
    play,
    /** The same as play, with the fields of the error, and the number of requests. */
    failure: async (adapter: Adapter, handlers: Handlers, asked: Asked = {}) => {
      const { error, text, requests, url } = await play(adapter, handlers, asked);
      const { code, message = "", retryable, retryAfterMs } = error ?? {};
      return { code, message, retryable, retryAfterMs, text, requests: requests.length, url };
    },
    /** Begins a call that these handlers answer; `request` is the first one that it makes. */
    begin: (adapter: Adapter, handlers: Handlers, asked: Partial<GenerateRequest> = {}) => {
      const server = serverOf(adapter, handlers);
      const request = server.request(server.requests.length);
      return { call: gateway.client.generate(adapter.request(server.url, asked)), request };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Checks a promise for many adapters at a time; says of each that breaks it how. */
export async function every(
  check: (adapter: Adapter, name: string) => Promise<void>,
  adapters: readonly (readonly [string, Adapter])[] = Object.entries(ADAPTERS),
): Promise<void> {
  const broken = await Promise.all(
    adapters.map(([name, adapter]) =>
      check(adapter, name).then(
        () => [],
        (error: unknown) => [`${name}: ${error instanceof Error ? error.message : String(error)}`],
      ),
    ),
  );
  if (broken.flat().length > 0) throw new Error(broken.flat().join("\n"));
}

/** The adapters for the case of this number in a long list: variants take turns in `npm test`, all are in the nightly run. */
export function sample(number: number): [string, Adapter][] {
  return Object.entries(ADAPTERS).filter(
    ([, { variantOf }], index) => NIGHTLY || variantOf === undefined || (index + number) % 4 === 0,
  );
}

/** Sends these frames; the answer stays open. */
export function sends(frames: readonly Frame[]): SseHandler {
  return (reply) => {
    reply.raw(""); // the head of the response
    for (const { raw } of frames) reply.raw(raw);
  };
}

/** Sends these frames and ends the response in order. */
export function answers(frames: readonly Frame[]): SseHandler {
  return (reply, request) => {
    void sends(frames)(reply, request);
    reply.end();
  };
}

/** The frames of an answer before its first content: the head of an answer, if the API has one. */
export function opening(frames: readonly Frame[]): Frame[] {
  return frames.slice(0, frames.findIndex(isContent));
}

/** The frames of an answer to the end of its first content. */
export function firstPart(frames: readonly Frame[]): Frame[] {
  return frames.slice(0, frames.findIndex(isContent) + 1);
}

function isContent({ text, thinking }: Frame): boolean {
  return text !== undefined || thinking !== undefined;
}

/** Refuses a request: with a rate limit, unless `failure` says otherwise. */
export function refuses(
  adapter: Adapter,
  failure: Partial<Failure> = {},
  headers: Record<string, string> = {},
): SseHandler {
  const whole = { status: 429, message: "slow down", type: "rate_limit_error", ...failure };
  return (reply) => reply.fail(whole.status, adapter.errorBody(whole), headers);
}
