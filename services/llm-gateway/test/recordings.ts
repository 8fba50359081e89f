import {
  anthropic,
  block,
  chat,
  chatCall,
  gemini,
  geminiCall,
  halves,
  named,
  reasoned,
  responses,
  said,
  textBlock,
  toolBlock,
  type Recording,
} from "./wire-answers.ts";

const PODS = { name: "k8s.pods", arguments: '{"namespace":"prod","ä":"😀"}' };
const LOGS = { name: "k8s.logs", arguments: '{"pod":"web-1"}' };
const NOW = { name: "clock.now", arguments: "{}" };

/** Answers of all kinds, in the form that each API sends. */
export const RECORDINGS: readonly Recording[] = [
  gemini("text", [{ text: "Ein " }, { text: "Späßchen 😀." }]),
  gemini("thinking", [{ text: "Hm, ", thought: true }, { text: "ja. ", thought: true }, { text: "Done." }]),
  gemini("one call", [{ text: "Looking. " }, geminiCall(PODS)], [PODS]),
  gemini("parallel calls", [geminiCall(PODS), geminiCall(LOGS)], [PODS, LOGS]),
  gemini("a call without arguments", [{ functionCall: { name: "clock__now" } }], [NOW]),
  chat("text", [
    [{ content: "Ein " }, { text: "Ein " }],
    [{ content: "Späßchen 😀." }, { text: "Späßchen 😀." }],
  ]),
  chat("thinking", [
    [{ reasoning_content: "Hm, " }, { thinking: "Hm, " }],
    [{ content: "Done." }, { text: "Done." }],
  ]),
  chat("one call", [[{ content: "Looking. " }, { text: "Looking. " }], ...chatCall(PODS, 0)], [PODS]),
  chat("one call without a finish reason", chatCall(PODS, 0), [PODS], "none"),
  chat("parallel calls", [...chatCall(PODS, 0), ...chatCall(LOGS, 1)], [PODS, LOGS]),
  chat(
    "a call without arguments",
    [
      [
        {
          tool_calls: [
            { index: 0, id: "call_0", type: "function", function: { name: "clock__now", arguments: "" } },
          ],
        },
      ],
    ],
    [NOW],
  ),
  anthropic("text", [textBlock(0, ["Ein ", "Späßchen 😀."])]),
  anthropic("thinking", [
    block(0, { type: "thinking", thinking: "", signature: "" }, [
      [{ type: "thinking_delta", thinking: "Hm, ja." }, { thinking: "Hm, ja." }],
      [{ type: "signature_delta", signature: "c2ln" }],
    ]),
    textBlock(1, ["Done."]),
  ]),
  anthropic("one call", [textBlock(0, ["Looking. "]), toolBlock(1, PODS, halves(PODS))], [PODS]),
  anthropic(
    "parallel calls",
    [toolBlock(0, PODS, halves(PODS)), toolBlock(1, LOGS, halves(LOGS))],
    [PODS, LOGS],
  ),
  anthropic("a call without arguments", [toolBlock(0, NOW, [""])], [NOW]),
  anthropic("a call with its input at the start", [toolBlock(0, LOGS, [], { pod: "web-1" })], [LOGS]),
  responses("text", [said("Ein "), said("Späßchen 😀.")]),
  responses("summarised thinking", [
    reasoned("response.reasoning_summary_text.delta", { summary_index: 0 }, "Hm."),
    said("Done."),
  ]),
  responses("raw thinking", [
    reasoned("response.reasoning_text.delta", { content_index: 0 }, "Hm, "),
    reasoned("response.reasoning_text.delta", { content_index: 0 }, "ja."),
    named("response.reasoning_text.done", {
      item_id: "rs",
      output_index: 0,
      content_index: 0,
      text: "Hm, ja.",
    }),
    said("Done."),
  ]),
  responses("raw thinking in closing events", [
    named(
      "response.reasoning_text.done",
      { item_id: "rs", output_index: 0, content_index: 0, text: "Hm, ja." },
      { thinking: "Hm, ja." },
    ),
    named("response.output_item.done", {
      output_index: 0,
      item: {
        id: "rs",
        type: "reasoning",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hm, ja." }],
      },
    }),
    named(
      "response.output_text.done",
      { item_id: "m", output_index: 1, content_index: 0, text: "Done." },
      { text: "Done." },
    ),
  ]),
  ...(["deltas", "arguments.done", "item.done", "completed"] as const).flatMap((where) => [
    responses("one call", [said("Looking. ")], [PODS], where),
    responses("parallel calls", [], [PODS, LOGS], where),
    responses("a call without arguments", [], [NOW], where),
  ]),
];
