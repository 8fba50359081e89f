import { GoogleGenAI } from "@google/genai";
import { expect } from "chai";
import { encodeGeminiState } from "../providers/google-native/gemini-state.ts";
import {
  buildGeminiRequest,
  requestBody,
  sdkParameters,
  type GeminiRequest,
} from "../providers/google-native/request/build-gemini-request.ts";
import { requestTemplate } from "../providers/google-native/request/request-template.ts";
import { message } from "./open-gateway.ts";

const client = new GoogleGenAI({
  apiKey: "test-key",
  vertexai: false,
  httpOptions: { baseUrl: "http://127.0.0.1:1/proxy/", apiVersion: "v1beta" },
});

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the SDK sends for a request when it makes all of it. */
async function sentBySdk(request: GeminiRequest): Promise<Sent | undefined> {
  let sent: Sent | undefined;
  const record: typeof fetch = (input, init) => {
    const body: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "null");
    const headers = Object.fromEntries(new Headers(init?.headers));
    sent = { url: input instanceof Request ? input.url : String(input), headers, body };
    return Promise.resolve(new Response());
  };
  const parameters = sdkParameters(request);
  await client.models.generateContentStream({
    ...parameters,
    config: { ...parameters.config, httpOptions: { fetch: record } },
  });
  return sent;
}

const plain: GeminiRequest = {
  model: "gemini-3-pro",
  systemInstruction: undefined,
  contents: [{ role: "user", parts: [{ text: "What is wrong with pod wéb-1?" }] }],
  tools: [],
  thinking: undefined,
  maxOutputTokens: undefined,
};

/** The request for a conversation in which the model called two tools, with thought signatures. */
function withTools(model: string): GeminiRequest {
  const toolCalls = ["1", "2"].map((id) => ({
    id,
    name: "kubernetes.get",
    arguments: '{"a":{"b":[1,null]}}',
  }));
  const state = encodeGeminiState([
    { text: 5, signature: "c2lnbmVk" },
    { call: "1", provider_id: "call-1", signature: "YWxzbw==" },
    { call: "2" },
  ]);
  return buildGeminiRequest({
    request: {
      messages: [
        message("system", "You investigate."),
        message("user", "go"),
        message("assistant", "Well.", { toolCalls, providerState: state ?? Buffer.alloc(0) }),
        message("tool", '{"pods":[]}', { toolName: "kubernetes.get", toolCallId: "1" }),
        message("tool", "down", { toolName: "kubernetes.get", toolCallId: "2" }),
      ],
      tools: [
        {
          name: "kubernetes.get",
          description: "Gets a resource",
          parametersSchema: '{"type":"object","properties":{"a":{"type":"object"},"b":{"$ref":"#/$defs/c"}}}',
        },
        { name: "kubernetes.list", description: "", parametersSchema: "" },
      ],
    },
    config: { model, nativeTools: {}, maxOutputTokens: undefined },
  });
}

describe("the requests to Gemini that do without the SDK", () => {
  const cases: readonly (readonly [string, GeminiRequest])[] = [
    ["a question", plain],
    ["a system instruction", { ...plain, systemInstruction: "You investigate." }],
    ["a conversation with tools and a thinking level", withTools("gemini-3-pro")],
    ["a conversation with tools and a thinking budget", withTools("gemini-2.5-flash")],
    ["native tools", { ...plain, tools: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }] }],
    ["a limit for the answer", { ...plain, maxOutputTokens: 900 }],
    ["the rest of an answer", { ...plain, continuationToken: "more" }],
  ];
  for (const [what, request] of cases) {
    it(`equal those of the SDK, for ${what}`, async () => {
      const sent = await sentBySdk(request);
      const { url, headers } = await requestTemplate(client, request.model);
      const body: unknown = JSON.parse(requestBody(request));
      expect({ url: url.href, headers, body }).to.deep.equal(sent);
      expect(headers).to.include({ "x-goog-api-key": "test-key", "content-type": "application/json" });
    });
  }

  it("are refused like those of the SDK for a model that cannot be in an address", async () => {
    const failure: unknown = await requestTemplate(client, "../models").catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(failure).to.have.property("message").that.contains("invalid model");
  });
});
