import { expect } from "chai";
import type { ConversationMessage, GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { isObject } from "#shared/exact-json.ts";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { geminiRequest, message, openGateway } from "./open-gateway.ts";
import {
  lists,
  refusedByAnthropic,
  refusedByGemini,
  refusedByOpenai,
  refusedByResponses,
} from "./refused-requests.ts";
import {
  callsTool,
  chatRequest,
  completes,
  contentsOf,
  messageStart,
  messageStop,
  named,
  stateOf,
  thinks,
} from "./wire.ts";

const LONG = `server.${"very-long-name-".repeat(6)}`;
const NAMES = [
  "k8s.get_pods",
  "k8s.get pods/now",
  `${LONG}one`,
  `${LONG}two`,
  "a__b.c",
  "a.b__c",
  "1st.tööl",
];
const SCHEMAS = [
  "",
  "{}",
  "not JSON",
  '{"type":"object","properties":{}}',
  '{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}',
  '{"oneOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]},"patternProperties":{"^x":{"type":"string"}}}',
  JSON.stringify({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `p${index}`,
        { anyOf: [{ type: "string" }, { type: "null" }] },
      ]),
    ),
  }),
];
/** The Responses API's item for a tool that runs at OpenAI. */
const SEARCH = { id: "ts_1", type: "tool_search_call", call_id: null, status: "completed" };
const TOOLS = NAMES.map((name, index) => ({ name, description: "", parametersSchema: SCHEMAS[index] ?? "" }));
const RESULTS = ["[1,2]", "7", "", '"text"', "null", "x".repeat(256 * 1024), '{"ok":true}'];

describe("a conversation that changes its provider with every turn, and its replica", () => {
  it("sends no request that a provider refuses, and names every tool correctly", async () => {
    const encoded = (body: unknown, turn: number): string => {
      const [wrapper] = lists(body, "tools");
      const declared = lists(wrapper, "functionDeclarations");
      const tools = declared.length > 0 ? declared : lists(body, "tools");
      const tool = tools[turn % NAMES.length] ?? {};
      return String(isObject(tool["function"]) ? tool["function"]["name"] : tool["name"]);
    };
    let turn = 0;
    const openaiHandler: SseHandler = (reply, request) =>
      completes(
        [
          {
            content: null,
            tool_calls: [
              {
                index: 0,
                id: "x".repeat(60) + turn,
                type: "function",
                function: { name: encoded(request.body, turn), arguments: '{"n":12345678901234567890}' },
              },
            ],
          },
        ],
        "tool_calls",
      )(reply, request);
    const refused: (string | undefined)[] = [];
    await using openai = await openSseServer((reply, request) => {
      refused.push(refusedByOpenai(request.body));
      return openaiHandler(reply, request);
    });
    await using anthropic = await openSseServer((reply, request) => {
      refused.push(refusedByAnthropic(request.body));
      messageStart(reply);
      thinks(reply, 0, "hm", "sig");
      callsTool(reply, 1, `toolu_${turn}`, encoded(request.body, turn), '{"a":1}');
      messageStop(reply, "tool_use");
    });
    await using responses = await openSseServer((reply, request) => {
      refused.push(refusedByResponses(request.body));
      const name = encoded(request.body, turn);
      const item = {
        id: "fc_1",
        type: "function_call",
        call_id: `call_${turn}`,
        name,
        arguments: "{}",
        status: "completed",
      };
      reply.event(
        named("response.created", {
          response: { id: "r", model: "gpt-5", status: "in_progress", output: [] },
        }),
      );
      reply.event(named("response.output_item.added", { output_index: 0, item: { ...item, arguments: "" } }));
      reply.event(
        named("response.function_call_arguments.delta", { output_index: 0, item_id: "fc_1", delta: "{}" }),
      );
      reply.event(named("response.output_item.done", { output_index: 0, item }));
      reply.event(
        named("response.completed", {
          response: { id: "r", model: "gpt-5", status: "completed", output: [SEARCH, item] },
        }),
      );
      reply.end();
    });
    await using gemini = await openGeminiServer((reply, request) => {
      refused.push(refusedByGemini(request.body));
      const call = {
        functionCall: { name: encoded(request.body, turn), args: {} },
        thoughtSignature: "c2ln",
      };
      reply.chunk(geminiChunk([call], { finishReason: "STOP" }));
      reply.end();
    });
    await using first = await openGateway();
    await using second = await openGateway();
    const ask: ((request: Partial<GenerateRequest>) => GenerateRequest)[] = [
      (request) => geminiRequest(gemini.url, request),
      (request) => chatRequest("anthropic", anthropic.url, request),
      (request) => chatRequest("openai", `${openai.url}/v1`, request),
      (request) => chatRequest("openai", `${responses.url}/v1/responses`, request, { model: "gpt-5" }),
    ];
    const messages: ConversationMessage[] = [
      message("system", "Be brief."),
      message("user", "one"),
      message("user", "two"),
    ];
    for (; turn < 12; turn += 1) {
      const build = ask[turn % ask.length];
      if (build === undefined) throw new Error("no provider");
      const gateway = turn % 2 === 0 ? first : second;
      const answer = await gateway.ask(build({ messages: [...messages], tools: TOOLS, executionId: "e" }));
      expect(answer.error, `turn ${turn}`).to.equal(undefined);
      const toolCalls = contentsOf(answer.chunks, "toolCall").flatMap((value) => {
        if (!isObject(value)) return [];
        const { callId, name, arguments: json } = value;
        return [{ id: String(callId), name: String(name), arguments: String(json) }];
      });
      expect(toolCalls.map(({ name }) => name)).to.deep.equal([NAMES[turn % NAMES.length]]);
      messages.push(message("assistant", answer.text, { toolCalls, providerState: stateOf(answer.chunks) }));
      for (const { id, name } of toolCalls) {
        messages.push(
          message("tool", RESULTS[turn % RESULTS.length] ?? "", { toolCallId: id, toolName: name }),
        );
      }
      if (turn === 5) messages.push(message("assistant", "I think."));
      if (turn === 6) messages.push(message("user", "And?"), message("user", "Well?"));
    }
    expect(refused.filter((why) => why !== undefined)).to.deep.equal([]);
  });
});
