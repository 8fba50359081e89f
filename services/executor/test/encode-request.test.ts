import { expect } from "chai";
import { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { encodeRequest } from "../llm/open-llm-client.ts";

const request = GenerateRequest.fromJSON({
  sessionId: "s",
  executionId: "e",
  agentName: "agent",
  messages: [
    { role: "system", content: "You investigate. 🔥" },
    { role: "user" },
    {
      role: "assistant",
      toolCalls: [{ id: "1", name: "k8s.pods", arguments: "{}" }],
      providerState: "AP8=",
    },
    { role: "tool", content: "web-1", toolCallId: "1", toolName: "k8s.pods" },
  ],
  llmConfig: { model: "m", nativeTools: { google_search: true } },
  tools: [{ name: "k8s.pods", description: "lists", parametersSchema: "{}" }],
});

describe("encodeRequest", () => {
  it("is read as the same request, also when its messages were sent before", () => {
    const longer = { ...request, messages: [...request.messages, ...request.messages.slice(1)] };
    for (const sent of [request, request, longer, { ...request, messages: [] }]) {
      const read = GenerateRequest.decode(encodeRequest(sent));
      expect(read).to.deep.equal(GenerateRequest.decode(GenerateRequest.encode(sent).finish()));
    }
  });

  it("encodes a message once", () => {
    const [message] = request.messages;
    if (message === undefined) throw new Error("no message");
    const read: PropertyKey[] = [];
    const watched = new Proxy(message, {
      get: (target, name, receiver) => {
        read.push(name);
        const value: unknown = Reflect.get(target, name, receiver);
        return value;
      },
    });
    encodeRequest({ ...request, messages: [watched] });
    expect(read).to.include("content");
    read.length = 0;
    encodeRequest({ ...request, messages: [watched] });
    expect(read).to.deep.equal([]);
  });
});
