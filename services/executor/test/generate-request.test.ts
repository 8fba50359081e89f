import { expect } from "chai";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Message } from "#shared/database/entities/message.ts";
import { generateRequest } from "../llm/generate-request.ts";
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
const PLAIN = { toolCalls: [], toolCallId: "", toolName: "", providerState: Buffer.alloc(0) };

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

  it("sends the names of the variables with the credentials, never their values", () => {
    const google = {
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
    expect(request([ROW], google).llmConfig).to.deep.equal({
      provider: "google",
      model: "gemini",
      backend: "google-native",
      apiKeyEnv: "GOOGLE_API_KEY",
      credentialsEnv: "CREDENTIALS",
      baseUrl: "http://localhost:1",
      project: "p",
      location: "l",
      script: "script.yaml",
      maxToolResultTokens: 950_000,
      nativeTools: { google_search: true },
    });
    expect(request([ROW]).llmConfig).to.include({ apiKeyEnv: "", baseUrl: "", project: "", location: "" });
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
