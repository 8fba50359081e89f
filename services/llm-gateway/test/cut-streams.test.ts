import { expect } from "chai";
import { NIGHTLY, STEP } from "../../../test/support/nightly.ts";
import { ADAPTERS, type Adapter } from "./adapters.ts";
import type { Answer } from "./open-gateway.ts";
import { answers, every, openStage } from "./open-stage.ts";
import { responsesFormat } from "./responses-format.ts";
import { chatFormat, claudeFormat, event, type Call, type Frame, type Piece } from "./wire-formats.ts";

const TOOLS = ["k8s.pods", "k8s.logs", "clock.now"].map((name) => ({
  name,
  description: "",
  parametersSchema: '{"type":"object","properties":{}}',
}));
const PODS = { call: { name: "k8s.pods", arguments: '{"namespace":"prod","ä":"😀"}' } };
const LOGS = { call: { name: "k8s.logs", arguments: '{"pod":"web-1"}' } };
const NOW = { call: { name: "clock.now", arguments: "{}" } };

/** Answers of all kinds. */
const PIECES: Readonly<Record<string, readonly Piece[]>> = {
  text: [{ text: "Ein " }, { text: "Späßchen 😀." }],
  thinking: [{ thinking: "Hm, " }, { thinking: "ja. " }, { text: "Done." }],
  "one call": [{ text: "Looking. " }, PODS],
  "parallel calls": [PODS, LOGS],
  "a call without arguments": [NOW],
};

/** An answer that only one API sends so. */
interface Oddity {
  readonly api: string;
  readonly frames: readonly Frame[];
  readonly calls: readonly Call[];
}

const withoutReason = chatFormat()([PODS]).filter(({ raw }) => !raw.includes('"tool_calls"}'));
const inputFirst = claudeFormat([LOGS])
  .filter(({ raw }) => !raw.includes("input_json_delta"))
  .map((frame) => ({ ...frame, raw: String(frame.raw).replace('"input":{}', '"input":{"pod":"web-1"}') }));
const place = { item_id: "rs", output_index: 0, content_index: 0 };
const said = event(
  "response.output_text.done",
  { ...place, item_id: "m", output_index: 1, text: "Done." },
  {
    text: "Done.",
  },
);
const [created, inProgress, completed] = responsesFormat()([]);
const responses = (...frames: readonly Frame[]) =>
  [created, inProgress, ...frames, completed].filter((frame) => frame !== undefined);

const ODDITIES: Readonly<Record<string, Oddity>> = {
  "a call without a finish reason": { api: "chat completions", frames: withoutReason, calls: [PODS.call] },
  "a call with its input at the start": {
    api: "Anthropic's messages",
    frames: inputFirst,
    calls: [LOGS.call],
  },
  "raw thinking": {
    api: "the Responses API",
    calls: [],
    frames: responses(
      event("response.reasoning_text.delta", { ...place, delta: "Hm, " }, { thinking: "Hm, " }),
      event("response.reasoning_text.delta", { ...place, delta: "ja." }, { thinking: "ja." }),
      event("response.reasoning_text.done", { ...place, text: "Hm, ja." }),
      said,
    ),
  },
  "raw thinking in closing events": {
    api: "the Responses API",
    calls: [],
    frames: responses(
      event("response.reasoning_text.done", { ...place, text: "Hm, ja." }, { thinking: "Hm, ja." }),
      event("response.output_item.done", {
        output_index: 0,
        item: {
          id: "rs",
          type: "reasoning",
          summary: [],
          content: [{ type: "reasoning_text", text: "Hm, ja." }],
        },
      }),
      said,
    ),
  },
  ...Object.fromEntries(
    (["arguments.done", "item.done", "completed"] as const).flatMap((where) =>
      [[{ text: "Looking. " }, PODS], [PODS, LOGS], [NOW]].map((pieces): [string, Oddity] => {
        const calls = pieces.flatMap((piece) => ("call" in piece ? [piece.call] : []));
        const name = `calls of ${calls.map((call) => call.name).join(" and ")}, arguments in ${where}`;
        return [name, { api: "the Responses API", frames: responsesFormat(where)(pieces), calls }];
      }),
    ),
  ),
};

/** How a cut answer is sent: its end, and the size of its pieces. */
const SENDINGS = [
  { end: "in order", inBytes: false },
  { end: "by a broken connection", inBytes: false },
  { end: "in order", inBytes: true },
] as const;
type Sending = (typeof SENDINGS)[number];
/** The sendings of the oddity of this number: they take turns in `npm test`. */
const turn = (number: number) => SENDINGS.filter((_, index) => NIGHTLY || index === number % SENDINGS.length);

/** What an answer may be after its first `count` events; throws what the answer has otherwise. */
function judge(frames: readonly Frame[], calls: readonly Call[], { end }: Sending, answer: Answer): void {
  const text = frames.map((frame) => frame.text ?? "").join("");
  const thinking = frames.map((frame) => frame.thinking ?? "").join("");
  const isComplete = frames.some(({ completes }) => completes === true);
  if (end === "in order") expect(answer).to.deep.include({ text, thinking });
  expect(text.startsWith(answer.text), answer.text).to.equal(true);
  expect(thinking.startsWith(answer.thinking), answer.thinking).to.equal(true);
  const called = answer.chunks.flatMap(({ content }) =>
    content?.$case === "toolCall" ? [{ name: content.value.name, arguments: content.value.arguments }] : [],
  );
  if (isComplete && (end === "in order" || answer.error === undefined)) {
    expect(answer.error).to.equal(undefined);
    expect(called).to.deep.equal(calls);
    return;
  }
  expect(called).to.deep.equal([]);
  const isShown = answer.text + answer.thinking !== "";
  expect(answer.error?.retryable).to.equal(true);
  expect(answer.error?.code).to.equal(isShown ? "partial_stream_error" : "max_retries");
  if (frames.length > 1 && !isShown && end === "in order") {
    expect(answer.error?.message).to.match(/broke off|empty/u);
  }
}

describe("llm-gateway with answers that end too early", () => {
  const resources = new AsyncDisposableStack();
  let stage: Awaited<ReturnType<typeof openStage>>;
  before(async () => {
    stage = resources.use(await openStage());
  });
  after(() => resources.disposeAsync());

  /** Ends an answer after each of its events, in `npm test` after every third one and the last ones. */
  const cutEverywhere = async (
    adapter: Adapter,
    frames: readonly Frame[],
    calls: readonly Call[],
    shift: number,
    sendings: readonly Sending[] = SENDINGS,
  ) => {
    const name = Object.keys(ADAPTERS).find((key) => ADAPTERS[key] === adapter);
    for (const [number, sending] of sendings.entries()) {
      for (let count = (number + shift) % STEP; count <= frames.length; count += STEP) {
        const sent = frames.slice(0, count);
        const bytes = Buffer.concat(sent.map(({ raw }) => Buffer.from(raw)));
        const pieces = sending.inBytes ? [...bytes].map((byte) => Buffer.of(byte)) : [bytes];
        const answer = await stage.play(
          adapter,
          async (reply, request) => {
            if (sending.end === "in order") return answers(pieces.map((raw) => ({ raw })))(reply, request);
            for (const raw of ["", ...pieces]) reply.raw(raw);
            await reply.drained();
            reply.cut();
          },
          { request: { tools: TOOLS } },
        );
        try {
          judge(sent, calls, sending, answer);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const how = `${sending.end}${sending.inBytes ? ", in pieces of one byte" : ""}`;
          throw new Error(`${name}, ended ${how} after ${count} of ${frames.length} events: ${why}`, {
            cause: error,
          });
        }
      }
    }
  };

  for (const [number, [what, pieces]] of Object.entries(PIECES).entries()) {
    const calls = pieces.flatMap((piece) => ("call" in piece ? [piece.call] : []));
    it(`calls only complete tools of every API: ${what}`, () =>
      every(
        (adapter) => cutEverywhere(adapter, adapter.format(pieces), calls, number),
        Object.entries(ADAPTERS).filter(([, { variantOf }]) => NIGHTLY || variantOf === undefined),
      )).timeout(600_000);
  }

  for (const [number, [what, { api, frames, calls }]] of Object.entries(ODDITIES).entries()) {
    it(`calls only complete tools of ${api}: ${what}`, () =>
      every(
        (adapter) => cutEverywhere(adapter, frames, calls, number, turn(number)),
        Object.entries(ADAPTERS).filter(([name]) => name === api),
      )).timeout(600_000);
  }
});
