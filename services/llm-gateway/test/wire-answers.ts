/** One event of an answer as it is on the wire, and what of it a reader may see. */
interface WireEvent {
  readonly raw: string;
  readonly text?: string;
  readonly thinking?: string;
  /** With this event the API says that the answer is complete. */
  readonly completes?: boolean;
}

/** One answer of one API. */
export interface Recording {
  readonly api: "Gemini" | "chat completions" | "Responses" | "Anthropic";
  readonly name: string;
  readonly events: readonly WireEvent[];
  /** The calls of the complete answer. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

type Fields = Record<string, unknown>;
/** What of an event a reader may see. */
type Shown = Omit<WireEvent, "raw">;
type Call = Recording["calls"][number];

const data = (value: Fields, shown: Shown = {}): WireEvent => ({
  raw: `data: ${JSON.stringify(value)}\n\n`,
  ...shown,
});
export const named = (type: string, fields: Fields, shown: Shown = {}): WireEvent => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
  ...shown,
});
const encoded = ({ name }: Call) => name.replace(".", "__");

/** Gemini: whole calls, and the finish reason in the last event. */
export function gemini(
  name: string,
  parts: readonly (Fields & Shown)[],
  calls: readonly Call[] = [],
): Recording {
  const event = (part: Fields, shown: Shown, finishReason?: string) =>
    data(
      {
        candidates: [
          {
            content: { parts: [part], role: "model" },
            index: 0,
            ...(finishReason === undefined ? {} : { finishReason }),
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
        modelVersion: "gemini-3-pro",
        responseId: "r1",
      },
      shown,
    );
  const shownOf = ({ text, thought }: Fields): Shown =>
    typeof text !== "string" ? {} : thought === true ? { thinking: text } : { text };
  return {
    api: "Gemini",
    name,
    calls,
    events: [
      ...parts.map((part) => event(part, shownOf(part))),
      event({ text: "" }, { completes: true }, "STOP"),
    ],
  };
}

export const geminiCall = ({ name, arguments: json }: Call): Fields => {
  const args: unknown = JSON.parse(json);
  return { functionCall: { name: name.replace(".", "__"), args }, thoughtSignature: "c2ln" };
};

/** A chat completion: these deltas, the finish reason, the usage, [DONE]. */
export function chat(
  name: string,
  deltas: readonly [Fields, Shown?][],
  calls: readonly Call[] = [],
  reason: "stop" | "tool_calls" | "none" = calls.length === 0 ? "stop" : "tool_calls",
): Recording {
  const chunk = (choices: readonly Fields[], rest: Fields = {}, shown: Shown = {}) =>
    data({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-4o", choices, ...rest }, shown);
  const choice = (delta: Fields, finish: string | null = null) => ({
    index: 0,
    delta,
    finish_reason: finish,
  });
  return {
    api: "chat completions",
    name,
    calls,
    events: [
      chunk([choice({ role: "assistant", content: "" })]),
      ...deltas.map(([delta, shown]) => chunk([choice(delta)], {}, shown)),
      ...(reason === "none" ? [] : [chunk([choice({}, reason)], {}, { completes: true })]),
      chunk([], { usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }),
      { raw: "data: [DONE]\n\n", completes: true },
    ],
  };
}

/** A call in several deltas: id and name, no arguments, then two pieces. */
export function chatCall(call: Call, index: number): [Fields][] {
  const { arguments: json } = call;
  const piece = (fields: Fields): [Fields] => [{ tool_calls: [{ index, ...fields }] }];
  return [
    piece({ id: `call_${index}`, type: "function", function: { name: encoded(call), arguments: "" } }),
    piece({ function: { arguments: json.slice(0, 7) } }),
    piece({ function: { arguments: json.slice(7) } }),
  ];
}

/** An answer of Anthropic's API made of these blocks. */
export function anthropic(
  name: string,
  blocks: readonly (readonly WireEvent[])[],
  calls: readonly Call[] = [],
): Recording {
  const usage = { input_tokens: 9, output_tokens: 1 };
  const message = {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    usage,
  };
  const stop_reason = calls.length === 0 ? "end_turn" : "tool_use";
  return {
    api: "Anthropic",
    name,
    calls,
    events: [
      named("message_start", { message }),
      named("ping", {}),
      ...blocks.flat(),
      named(
        "message_delta",
        { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
        { completes: true },
      ),
      named("message_stop", {}, { completes: true }),
    ],
  };
}

export function block(
  index: number,
  content_block: Fields,
  deltas: readonly [Fields, Shown?][],
): WireEvent[] {
  return [
    named("content_block_start", { index, content_block }),
    ...deltas.map(([delta, shown]) => named("content_block_delta", { index, delta }, shown)),
    named("content_block_stop", { index }),
  ];
}

export const textBlock = (index: number, texts: readonly string[]) =>
  block(
    index,
    { type: "text", text: "" },
    texts.map((text) => [{ type: "text_delta", text }, { text }]),
  );
export const toolBlock = (index: number, call: Call, pieces: readonly string[], input: Fields = {}) =>
  block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name: encoded(call), input },
    pieces.map((partial_json) => [{ type: "input_json_delta", partial_json }]),
  );
export const halves = ({ arguments: json }: Call) => ["", json.slice(0, 7), json.slice(7)];

/** Where a server of the Responses API sends arguments. */
type Where = "deltas" | "arguments.done" | "item.done" | "completed";

/** An answer of the Responses API made of these events and calls. */
export function responses(
  name: string,
  events: readonly WireEvent[],
  calls: readonly Call[] = [],
  where: Where = "deltas",
): Recording {
  const first = events.length === 0 ? 0 : 1;
  const response = { id: "resp_1", object: "response", model: "gpt-5" };
  const output = calls.map((call, index) =>
    callItem(call, index, "completed", where === "deltas" || where === "completed"),
  );
  return {
    api: "Responses",
    name: calls.length > 0 ? `${name}, arguments in ${where}` : name,
    calls,
    events: [
      named("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      named("response.in_progress", { response: { ...response, status: "in_progress", output: [] } }),
      ...events,
      ...calls.flatMap((call, index) => callEvents(call, index + first, where)),
      named(
        "response.completed",
        { response: { ...response, status: "completed", output } },
        { completes: true },
      ),
    ],
  };
}

function callItem(call: Call, index: number, status: string, hasArguments: boolean): Fields {
  const args = hasArguments ? call.arguments : "";
  return {
    id: `fc_${index}`,
    type: "function_call",
    call_id: `call_${index}`,
    name: encoded(call),
    arguments: args,
    status,
  };
}

function callEvents(call: Call, output_index: number, where: Where): WireEvent[] {
  const place = { item_id: `fc_${output_index}`, output_index };
  const { arguments: json } = call;
  const done = where === "deltas" || where === "arguments.done" ? json : "";
  return [
    named("response.output_item.added", {
      output_index,
      item: callItem(call, output_index, "in_progress", false),
    }),
    ...(where === "deltas"
      ? [json.slice(0, 7), json.slice(7)].map((delta) =>
          named("response.function_call_arguments.delta", { ...place, delta }),
        )
      : []),
    named("response.function_call_arguments.done", { ...place, arguments: done }),
    named("response.output_item.done", {
      output_index,
      item: callItem(call, output_index, "completed", where === "deltas" || where === "item.done"),
    }),
  ];
}

export const said = (delta: string) =>
  named(
    "response.output_text.delta",
    { item_id: "m", output_index: 0, content_index: 0, delta },
    { text: delta },
  );
export const reasoned = (type: string, place: Fields, delta: string) =>
  named(type, { item_id: "rs", output_index: 0, ...place, delta }, { thinking: delta });
