import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SseReply, SseRequest } from "./sse-server.ts";

const Body = Type.Object(
  {
    model: Type.String(),
    messages: Type.Array(
      Type.Object({ role: Type.String(), content: Type.Unknown() }, { additionalProperties: true }),
    ),
    tools: Type.Optional(
      Type.Array(
        Type.Object(
          { function: Type.Object({ name: Type.String() }, { additionalProperties: true }) },
          { additionalProperties: true },
        ),
      ),
    ),
  },
  { additionalProperties: true },
);
const parseBody = compileParser("chat completion request", Body);

/** A request of an agent, as a model of a test reads it. */
interface AskedModel {
  readonly model: string;
  /** All messages as one JSON text. */
  readonly text: string;
  /** How often the model has answered in this conversation. */
  readonly answers: number;
  readonly hasTools: boolean;
  /** The bound tool whose name ends so. */
  readonly tool: (ending: string) => string;
}

/** What it answers: text, or calls of bound tools. */
export type ModelAnswer = string | readonly { readonly name: string; readonly arguments: object }[];

/**
 * A handler for `openSseServer` that answers chat completions by what was asked, so that a repeated request gets the same answer.
 * `nameOf` is the model that an answer names; without it none is named.
 */
export function chatModel(
  answer: (asked: AskedModel) => ModelAnswer,
  nameOf: (model: string) => string | undefined = () => undefined,
) {
  return (reply: SseReply, { body }: SseRequest): void => {
    const { model, messages, tools = [] } = parseBody(body);
    const answers = messages.filter(({ role }) => role === "assistant").length;
    const names = tools.map((tool) => tool.function.name);
    const answered = answer({
      model,
      text: JSON.stringify(messages),
      answers,
      hasTools: names.length > 0,
      tool: (ending) => names.find((name) => name.endsWith(ending)) ?? ending,
    });
    const delta =
      typeof answered === "string"
        ? { content: answered }
        : {
            tool_calls: answered.map((call, index) => ({
              index,
              id: `call_${answers}_${index}`,
              type: "function",
              function: { name: call.name, arguments: JSON.stringify(call.arguments) },
            })),
          };
    const reason = typeof answered === "string" ? "stop" : "tool_calls";
    const named = nameOf(model);
    reply.data({
      model: named,
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    });
    reply.data({ model: named, choices: [{ index: 0, delta, finish_reason: null }] });
    reply.data({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    reply.data({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 } });
    reply.raw("data: [DONE]\n\n");
    reply.end();
  };
}
