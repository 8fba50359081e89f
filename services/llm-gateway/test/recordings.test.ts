import { chmod, mkdir, mkdtempDisposable, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect } from "chai";
import { pino } from "pino";
import { EVENT_STREAM } from "../../../test/support/event-stream.ts";
import { geminiChunk } from "../../../test/support/gemini-server.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { pieceBytes, readRecording, type ProviderRecording } from "../recordings/recording.ts";
import { replayRecording } from "../recordings/replay-recording.ts";
import { AWS_KEYS, BEDROCK_ENV, BEDROCK_MODEL, says, sends, start, stop } from "./bedrock-wire.ts";
import {
  TEST_KEY,
  TEST_KEY_ENV,
  geminiRequest,
  message,
  openGateway,
  type Answer,
  type TestConfig,
} from "./open-gateway.ts";
import { chatRequest, completes, completion } from "./wire.ts";

const SECRET = TEST_KEY;
const ENV = { ...BEDROCK_ENV, [TEST_KEY_ENV]: SECRET };
const BEDROCK: TestConfig = { model: BEDROCK_MODEL, apiKeyEnv: "", settings: AWS_KEYS };

const chatDone = completes([{ content: "fi" }, { content: "ne" }]);
const geminiDone: SseHandler = (reply) => {
  reply.data(geminiChunk([{ text: "fine" }], { finishReason: "STOP" }));
  reply.end();
};

/** A request that carries a secret and something like one, to be answered by the server at `url`. */
type Ask = (url: string) => GenerateRequest;
const QUESTION = {
  messages: [message("user", `why? ${SECRET} "sk-abcdefghijklmnopqrstuvwx"`)],
  sessionId: "s-1",
};
const chat: Ask = (url) => chatRequest("openai", `${url}/v1?tenant=a&api-version=1`, QUESTION);
const gemini: Ask = (url) => geminiRequest(url, QUESTION);
const bedrock: Ask = (url) => chatRequest("bedrock", url, QUESTION, BEDROCK);

/** A logger that keeps its lines. */
function keptLog() {
  let lines = "";
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines += String(chunk);
      done();
    },
  });
  return {
    log: pino({}, stream),
    lines: () =>
      lines
        .trim()
        .split("\n")
        .filter((line) => line !== ""),
  };
}

/** Makes calls one after another while recording; returns the last answer, the recordings and the log. */
async function record(
  handler: SseHandler,
  ask: Ask,
  {
    calls = 1,
    contentType = "text/event-stream",
    prepare = () => Promise.resolve(),
    ...bounds
  }: {
    calls?: number;
    maxFiles?: number;
    maxBytes?: number;
    contentType?: string;
    prepare?: (dir: string) => Promise<void>;
  } = {},
) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-recordings-"));
  const dir = join(directory.path, "recordings");
  await prepare(dir);
  const { log, lines } = keptLog();
  let answer: Answer | undefined;
  {
    await using server = await openSseServer(handler, contentType);
    const recordings = { dir, maxFiles: 10, maxBytes: 1024 * 1024, ...bounds, log };
    await using gateway = await openGateway({ env: ENV, recordings });
    for (let call = 0; call < calls; call += 1) answer = await gateway.ask(ask(server.url));
  }
  const names = await readdir(dir).catch(() => []);
  const modes = await Promise.all([dir, ...names.map((name) => join(dir, name))].map(modeOf));
  const recorded = await Promise.all(
    names.map((name) => readRecording(join(dir, name)).catch(() => undefined)),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), "utf8").catch(() => "")));
  return { answer, recorded: recorded.filter((one) => one !== undefined), texts, modes, log: lines() };
}

async function modeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
}

async function replay(recording: ProviderRecording | undefined, ask: Ask) {
  if (recording === undefined) throw new Error("nothing was recorded");
  await using server = await replayRecording(recording, { keepTimes: false });
  await using gateway = await openGateway({ env: ENV });
  return await gateway.ask(ask(server.url));
}

describe("recordings of provider traffic", () => {
  for (const [name, ask, handler, contentType] of [
    ["OpenAI", chat, chatDone, undefined],
    ["Gemini", gemini, geminiDone, undefined],
    ["Bedrock", bedrock, sends(start, ...says("fine"), stop("end_turn")), EVENT_STREAM],
  ] as const) {
    it(`hold an exchange with ${name} without credentials, and replay it`, async () => {
      const options = contentType === undefined ? {} : { contentType };
      const { recorded, texts, modes } = await record(handler, ask, options);
      expect(modes).to.deep.equal([0o700, 0o600]);
      const [recording] = recorded;
      expect(recording).to.include({ truncated: false, session_id: "s-1" });
      // The reader of chat completions leaves at [DONE].
      expect(recording?.ended).to.be.oneOf(name === "OpenAI" ? ["complete", "left"] : ["complete"]);
      expect(recording?.response?.status).to.equal(200);
      expect(texts[0]).to.contain("why?").and.not.to.contain(SECRET).and.not.to.contain("sk-abcdef");
      expect(texts[0]).not.to.contain("AKIDEXAMPLE");
      for (const header of ["authorization", "x-goog-api-key"]) {
        expect([undefined, "[redacted]"]).to.include(recording?.request.headers[header]);
      }
      const query = name === "OpenAI" ? /\?tenant=\[redacted\]&api-version=1$/u : /^http/u;
      expect(recording?.request.url).to.match(query);
      const again = await replay(recording, ask);
      expect({ text: again.text, error: again.error }).to.deep.equal({ text: "fine", error: undefined });
    });
  }

  it("hold the bytes in the pieces in which they arrived", async () => {
    const { recorded } = await record(async (reply) => {
      const bytes = Buffer.from(`data: ${JSON.stringify(completion({ content: "größe" }))}\n\n`);
      const middle = bytes.indexOf("ö") + 1; // inside a character
      for (const piece of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
        reply.raw(piece);
        await reply.drained();
        await new Promise((resolve) => void setImmediate(resolve));
      }
      reply.data(completion({}, "stop"));
      reply.raw("data: [DONE]\n\n");
      reply.end();
    }, chat);
    const pieces = recorded[0]?.response?.pieces ?? [];
    expect(Buffer.concat(pieces.map(pieceBytes)).toString())
      .to.contain("größe")
      .and.to.contain("[DONE]");
    const times = pieces.map(({ at_ms: at }) => at);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it("hold how an exchange ended, and replay that", async () => {
    const cut: SseHandler = async (reply) => {
      reply.data(completion({ content: "hi" }));
      await reply.drained();
      reply.reset();
    };
    const broken = await record(cut, chat);
    // The reset may overtake the head of the response.
    for (const { ended } of broken.recorded) expect(ended).to.be.oneOf(["cut", "failed"]);
    expect((await replay(broken.recorded[0], chat)).error).to.deep.include({ retryable: true });
    const closed = await openSseServer(chatDone);
    await closed[Symbol.asyncDispose]();
    const gone = await record(chatDone, () => chat(closed.url));
    expect(gone.recorded[0]).to.deep.include({ ended: "failed", error: "ECONNREFUSED" });
    expect(gone.recorded[0]).not.to.have.property("response");
    expect((await replay(gone.recorded[0], chat)).error?.message).to.match(
      /ECONNRESET|other side closed|broke/u,
    );
    const refused = await record((reply) => reply.fail(400, { error: { message: "no such thing" } }), chat);
    expect(refused.recorded[0]?.response?.status).to.equal(400);
    expect((await replay(refused.recorded[0], chat)).error?.message).to.contain("no such thing");
  });

  it("are not kept if the answer holds a credential, and the log says so", async () => {
    for (const text of [SECRET, "Bearer abcdefghijklmnop1234"]) {
      const { recorded, answer, log } = await record(completes([{ content: text }]), chat);
      expect(answer?.text).to.equal(text);
      expect(recorded).to.deep.equal([]);
      expect(log).to.have.length(1);
      expect(log[0]).to.contain("was not kept").and.not.to.contain(SECRET);
    }
    const zipped = await record((reply) => reply.fail(500, "x", { "content-encoding": "br" }), gemini);
    expect(zipped.recorded).to.deep.equal([]);
  });

  it("are bounded in size and number", async () => {
    const long = completes([{ content: "x".repeat(5_000) }]);
    const { recorded, answer } = await record(long, chat, { calls: 5, maxFiles: 2, maxBytes: 2_000 });
    expect(answer?.text).to.have.length(5_000);
    expect(recorded).to.have.length(2);
    const bytes = Buffer.concat((recorded[0]?.response?.pieces ?? []).map(pieceBytes));
    expect(bytes).to.have.length(2_000);
    expect(recorded[0]?.truncated).to.equal(true);
  });

  it("do not disturb calls where nothing can be written, which is logged once", async () => {
    const cases = [
      (dir: string) => writeFile(dir, "a file"),
      async (dir: string) => {
        await mkdir(dir);
        await chmod(dir, 0o755);
      },
    ];
    for (const prepare of cases) {
      const { answer, log, recorded } = await record(chatDone, chat, { calls: 3, prepare });
      expect(answer).to.include({ text: "fine", error: undefined });
      expect(recorded).to.deep.equal([]);
      expect(log).to.have.length(1);
      expect(log[0]).to.contain("recordings cannot be written");
    }
  });
});
