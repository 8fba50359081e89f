import { expect } from "chai";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import { callRequest, generateRequest } from "../llm/generate-request.ts";
import { INPUT } from "./prompt-fixtures.ts";
import { resolvedAgent } from "./resolved-chain.ts";

const ROW: Message = {
  message_id: "m",
  session_id: "s",
  stage_id: "t",
  execution_id: "e",
  sequence_number: 1,
  role: "user",
  content: "disk full",
  tool_calls: null,
  tool_call_id: null,
  tool_name: null,
  provider_state: null,
  created_at: new Date(0),
  seq: null,
};
const PLAIN = { toolCalls: [], toolCallId: "", toolName: "", providerState: undefined };

describe("generateRequest", () => {
  const request = (
    messages: readonly Message[],
    provider: object = {},
    tools: readonly ToolDescription[] = [],
  ) => {
    const agent = resolvedAgent();
    const settings = { ...agent, llm_provider: { ...agent.llm_provider, ...provider } };
    return generateRequest(
      { session: { sessionId: "s" }, execution: { execution_id: "e" }, state: { messages, agent: settings } },
      tools,
    );
  };

  it("sends the stored conversation and nothing else", () => {
    const call = { id: "c1", name: "server.tool", arguments: "{}" };
    const state = Buffer.from("signature");
    const made = request([
      { ...ROW, role: "system", content: "be brief" },
      ROW,
      { ...ROW, role: "assistant", content: "", tool_calls: [call], provider_state: state },
      { ...ROW, role: "tool", content: "result", tool_call_id: "c1", tool_name: "server.tool" },
    ]);
    expect(made).to.deep.include({ sessionId: "s", executionId: "e", tools: [] });
    expect(made.messages).to.deep.equal([
      { ...PLAIN, role: "system", content: "be brief" },
      { ...PLAIN, role: "user", content: "disk full" },
      { ...PLAIN, role: "assistant", content: "", toolCalls: [call], providerState: state },
      { ...PLAIN, role: "tool", content: "result", toolCallId: "c1", toolName: "server.tool" },
    ]);
  });

  it("names the provider, and says nothing of its address, its credentials or its script", () => {
    const google = {
      name: "gemini-pro",
      type: "google",
      model: "gemini",
      backend: "google-native",
      api_key_env: "GOOGLE_API_KEY",
      credentials_env: "CREDENTIALS",
      base_url: "http://localhost:1",
      project: "p",
      location: "l",
      native_tools: { google_search: true },
    };
    const { entryHash = "", ...config } = request([ROW], google).llmConfig ?? {};
    expect(config).to.deep.equal({
      providerName: "gemini-pro",
      providerType: "google",
      model: "gemini",
      backend: "google-native",
      maxToolResultTokens: 250_000,
      maxOutputTokens: 0,
      nativeTools: { google_search: true },
    });
    expect(entryHash).to.match(/^[\da-f]{64}$/u);
    expect(request([ROW], { max_output_tokens: 900 }).llmConfig).to.include({ maxOutputTokens: 900 });
    const other = request([ROW], { ...google, base_url: "http://localhost:2" }).llmConfig;
    expect(other?.entryHash).not.to.equal(entryHash);
  });

  it("makes the same object of a message in each call, so that it is encoded once", () => {
    const answer = { ...ROW, role: "assistant", sequence_number: 2 } as const;
    const run = {
      session: { sessionId: "s", llm: { readVariable: () => undefined } },
      execution: { execution_id: "e" },
      state: {
        agent: resolvedAgent(),
        alert: INPUT.alert,
        iteration: INITIAL_ITERATION_STATE,
        messages: [ROW, answer],
      },
    };
    const [first, second] = [callRequest(run, { tools: [] }), callRequest(run, { tools: [] })];
    expect(first.messages).to.have.length(2);
    for (const [index, message] of first.messages.entries()) expect(second.messages[index]).to.equal(message);
  });

  it("sends the bound tools", () => {
    const tool = {
      name: "k8s.get",
      server: "k8s",
      description: "gets",
      parameters_schema: "{}",
      read_only: true,
    };
    expect(request([ROW], {}, [tool]).tools).to.deep.equal([
      { name: "k8s.get", description: "gets", parametersSchema: "{}" },
    ]);
  });
});
