import {
  blocksOf,
  event,
  parts,
  wireName,
  type Call,
  type Fields,
  type Format,
  type Frame,
} from "./wire-formats.ts";

/** Where a server of the Responses API sends the arguments of a call. */
type ArgumentsIn = "deltas" | "arguments.done" | "item.done" | "completed";

/** The Responses API: deltas of items, and the whole response in the last event. */
export const responsesFormat =
  (argumentsIn: ArgumentsIn = "deltas"): Format =>
  (pieces, end = "done") => {
    const response = { id: "resp_1", object: "response", model: "gpt-5" };
    const item = (call: Call, index: number, isWhole: boolean, status = "completed") => ({
      id: `fc_${index}`,
      type: "function_call",
      call_id: `call_${index}`,
      name: wireName(call.name),
      arguments: isWhole ? call.arguments : "",
      status,
    });
    const output: Fields[] = [];
    const events = blocksOf(pieces).flatMap((group, output_index) =>
      group.flatMap((piece) => {
        const place = { output_index, content_index: 0 };
        if ("text" in piece) {
          return [event("response.output_text.delta", { ...place, item_id: "m", delta: piece.text }, piece)];
        }
        if ("thinking" in piece) {
          const fields = { item_id: "rs", output_index, summary_index: 0, delta: piece.thinking };
          return [event("response.reasoning_summary_text.delta", fields, piece)];
        }
        const { call } = piece;
        output.push(item(call, output_index, argumentsIn === "deltas" || argumentsIn === "completed"));
        return callEvents(call.arguments, output_index, argumentsIn, (isWhole, status) =>
          item(call, output_index, isWhole, status),
        );
      }),
    );
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 130,
    };
    const reason = end === "limit" ? "max_output_tokens" : "content_filter";
    const ended =
      end === "done" ? { status: "completed" } : { status: "incomplete", incomplete_details: { reason } };
    return [
      event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      event("response.in_progress", { response: { ...response, status: "in_progress", output: [] } }),
      ...events,
      event(
        end === "done" ? "response.completed" : "response.incomplete",
        { response: { ...response, ...ended, output, usage } },
        { completes: true },
      ),
    ];
  };

function callEvents(
  json: string,
  output_index: number,
  argumentsIn: ArgumentsIn,
  item: (isWhole: boolean, status?: string) => Fields,
): Frame[] {
  const place = { item_id: `fc_${output_index}`, output_index };
  const isInDeltas = argumentsIn === "deltas";
  return [
    event("response.output_item.added", { output_index, item: item(false, "in_progress") }),
    ...(isInDeltas ? parts(json).slice(1) : []).map((delta) =>
      event("response.function_call_arguments.delta", { ...place, delta }),
    ),
    event("response.function_call_arguments.done", {
      ...place,
      arguments: isInDeltas || argumentsIn === "arguments.done" ? json : "",
    }),
    event("response.output_item.done", {
      output_index,
      item: item(isInDeltas || argumentsIn === "item.done"),
    }),
  ];
}
