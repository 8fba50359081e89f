import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { listen } from "#shared/service/listen.ts";
import { geminiChunk } from "../../support/gemini-server.ts";

/** One call as it reached the model. It is logged before the answer, so that no killed service can lose it. */
export interface ModelCall {
  /** The `case-…` in the alert, or empty. */
  readonly caseId: string;
  /**
   * The `agent-…` in the instructions, `summaries` for the executive summary, or empty; with the `question-…` or `job-…` that it was
   * given, and the phase.
   */
  readonly agent: string;
  /** The model that was asked for. */
  readonly model: string;
  readonly hasTools: boolean;
  /** The number of answers in the conversation plus one. */
  readonly number: number;
  /** How often a `note-case-…` is in the conversation. */
  readonly notes: number;
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** When the caller closed the socket before the answer was complete. */
  brokenOffAt: number | undefined;
  answered: boolean;
}

/** How the model answers a call. */
export interface ModelAnswer {
  readonly thinking?: string;
  readonly text?: string;
  /** A call of `lab.<name>`. */
  readonly tool?: { readonly name: string; readonly args: object };
  /** Calls of functions with these names. */
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  /** The answer is sent in this many pieces, each after this pause. */
  readonly pieces?: number;
  readonly pauseMs?: number;
  /** Sends the text and never ends the answer. */
  readonly hangs?: boolean;
  /** Replaces the answer by invalid data, a reset connection, a 429, an answer without end, silence, or a closed connection. */
  readonly breaks?: "garbage" | "reset" | "overload" | "endless" | "stall" | "down";
  /** The `Retry-After` of a 429, in seconds. */
  readonly retryAfter?: number;
}

/** Decides how a call is answered. It may wait and inject faults first. */
export type ModelPlan = (call: ModelCall, alert: string) => ModelAnswer | Promise<ModelAnswer>;

const Texts = Type.Array(Type.Object({ text: Type.Optional(Type.String()) }, { additionalProperties: true }));
const Request = Type.Object({
  systemInstruction: Type.Optional(Type.Object({ parts: Texts })),
  tools: Type.Optional(Type.Array(Type.Unknown())),
  contents: Type.Array(
    Type.Object({
      role: Type.String(),
      parts: Texts,
    }),
  ),
});
const parseRequest = compileParser("generateContent request", Request);
const CASE = /case-[\w-]+/u;
const MODEL = /\/models\/([\w.-]+)/u;
const AGENT = /agent-\d+|summaries/u;
const TASK = /\b(?:question|job)-\d+/gu;
const NOTE = /\bnote-case-/gu;
const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 17 };

/** A stub model with Gemini's API in the test process. It outlives every service; the checkers read its log of calls. */
export class ModelServer implements AsyncDisposable {
  readonly #server = createServer();
  readonly calls: ModelCall[] = [];
  plan: ModelPlan;
  /** Tells calls of a later part of a scenario from those before it; empty at first. */
  phase = "";

  private constructor(plan: ModelPlan) {
    this.plan = plan;
    this.#server.on("request", (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(plan: ModelPlan): Promise<ModelServer> {
    const model = new ModelServer(plan);
    await listen(model.#server, { host: "127.0.0.1", port: 0 });
    return model;
  }

  /** For `base_url`. */
  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const pieces: Buffer[] = [];
    for await (const piece of request) if (Buffer.isBuffer(piece)) pieces.push(piece);
    const {
      contents,
      systemInstruction,
      tools = [],
    } = parseRequest(JSON.parse(Buffer.concat(pieces).toString("utf8")));
    const alert = contents.map(({ parts }) => textOf(parts)).join("\n");
    const [first] = contents;
    const task = textOf(first?.parts ?? [])
      .match(TASK)
      ?.at(-1);
    const call: ModelCall = {
      caseId: CASE.exec(alert)?.[0] ?? "",
      agent: [AGENT.exec(textOf(systemInstruction?.parts ?? []))?.[0], task, this.phase]
        .filter((part) => part !== undefined && part !== "")
        .join("/"),
      model: MODEL.exec(request.url ?? "")?.[1] ?? "",
      hasTools: tools.length > 0,
      number: 1 + contents.filter(({ role }) => role === "model").length,
      notes: alert.match(NOTE)?.length ?? 0,
      at,
      brokenOffAt: undefined,
      answered: false,
    };
    this.calls.push(call);
    response.on("close", () => {
      if (!call.answered) call.brokenOffAt = Date.now();
    });
    const answer = await this.plan(call, alert);
    if (answer.breaks === undefined) await play(answer, call, response);
    else await misbehave(answer.breaks, answer, call, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function textOf(parts: Static<typeof Texts>): string {
  return parts.map(({ text }) => text ?? "").join("");
}

async function play(answer: ModelAnswer, call: ModelCall, response: ServerResponse): Promise<void> {
  const { thinking, text = "", tool, pieces = 1, pauseMs = 0, hangs = false } = answer;
  const send = (part: object | readonly object[], rest: object = {}) =>
    response.write(`data: ${JSON.stringify(geminiChunk([part].flat(), rest))}\r\n\r\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  if (thinking !== undefined) send({ text: thinking, thought: true });
  const size = Math.max(1, Math.ceil(text.length / pieces));
  for (let at = 0; at < text.length && !response.closed; at += size) {
    if (pauseMs > 0) await wait(pauseMs);
    send({ text: text.slice(at, at + size) });
  }
  if (text === "" && pauseMs > 0) await wait(pauseMs * pieces);
  if (hangs) {
    if (!response.closed) await once(response, "close");
    return;
  }
  const calls = tool === undefined ? (answer.calls ?? []) : [{ ...tool, name: `lab__${tool.name}` }];
  const last = calls.length === 0 ? { text: "" } : calls.map((functionCall) => ({ functionCall }));
  send(last, { finishReason: "STOP", usageMetadata: USAGE });
  call.answered = true;
  response.end();
}

async function misbehave(
  how: NonNullable<ModelAnswer["breaks"]>,
  { retryAfter }: ModelAnswer,
  call: ModelCall,
  response: ServerResponse,
): Promise<void> {
  const type = { "content-type": "text/event-stream" };
  const closed = once(response, "close");
  switch (how) {
    case "garbage":
      call.answered = true;
      response.writeHead(200, type).end("data: <html>\r\n\r\n\u0000\uffff{{{");
      return;
    case "reset":
      response.writeHead(200, type).write(`data: ${JSON.stringify(geminiChunk([{ text: "half" }]))}\r\n\r\n`);
      await wait(50);
      response.socket?.resetAndDestroy();
      return;
    case "overload":
      call.answered = true;
      response.writeHead(429, {
        "content-type": "application/json",
        ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      });
      response.end('{"error":{"code":429,"message":"too many","status":"RESOURCE_EXHAUSTED"}}');
      return;
    case "endless": {
      response.writeHead(200, type);
      const piece = `data: ${JSON.stringify(geminiChunk([{ text: "and so on ".repeat(1_000) }]))}\r\n\r\n`;
      while (!response.closed && !response.destroyed) {
        if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
        await wait(1);
      }
      return;
    }
    case "stall":
      response.writeHead(200, type);
      response.flushHeaders();
      await closed;
      return;
    case "down":
      call.answered = true;
      response.socket?.resetAndDestroy();
      return;
    default:
      return how satisfies never;
  }
}
