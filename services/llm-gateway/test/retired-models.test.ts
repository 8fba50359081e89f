import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { parseJson } from "#shared/parse-json.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { tableRows } from "../../../test/support/table-rows.ts";
import { openGateway } from "./open-gateway.ts";
import { chatRequest } from "./wire.ts";

const AFTER = () => new Date("2026-12-12T00:00:00Z");

/** The refusal of a provider's API; its server is a part of the address, without the host. */
interface Refusal {
  readonly provider: string;
  readonly path: string;
  readonly model: string;
  readonly status: number;
  readonly body: object | string;
}

const parseBody = compileParser("body", Type.Object({}, { additionalProperties: true }));

/** A model that its provider has retired: where it is asked for | the status | the day | its successor | the body of the refusal. */
const RETIRED = String.raw`
anthropic |               | claude-sonnet-4-20250514 | 404 | 2026-06-15 | claude-sonnet-5       | {"type":"error","error":{"type":"not_found_error","message":"model: claude-sonnet-4-20250514"},"request_id":"req_1"}
openai    | /v1           | o1-2024-12-17            | 404 | 2026-10-23 | gpt-5.6-sol           | {"error":{"message":"The model 'o1-2024-12-17' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}
openai    | /v1/responses | gpt-5                    | 403 | 2026-12-11 | gpt-6.1-sol           | {"error":{"message":"Project 'p' does not have access to model 'gpt-5'","type":"invalid_request_error","param":null,"code":"model_not_found"}}
google    |               | gemini-2.0-flash         | 404 | 2026-06-01 | gemini-3.5-flash-lite | {"error":{"code":404,"message":"models/gemini-2.0-flash is not found for API version v1beta","status":"NOT_FOUND"}}
groq      | /openai/v1    | llama-3.3-70b-versatile  | 400 | 2026-08-16 | openai/gpt-oss-120b   | {"error":{"message":"The model 'llama-3.3-70b-versatile' has been decommissioned and is no longer supported.","type":"invalid_request_error","code":"model_decommissioned"}}
mistral   | /v1           | mistral-large-2411       | 400 | 2026-05-31 | mistral-large-2512    | {"object":"error","message":"Invalid model: mistral-large-2411","type":"invalid_model","param":null,"code":"1500"}
xai       | /v1           | grok-4-0709              | 404 | 2026-05-15 | grok-4.3              | {"code":"Some requested entity was not found","error":"The model grok-4-0709 does not exist or your team t does not have access to it."}
anthropic |               | claude-sonnet-4-20250514 | 410 | 2026-06-15 | claude-sonnet-5       | {"type":"error","error":{"type":"gone","message":"gone"}}
`;

async function refused(
  { provider, path, model, status, body }: Refusal,
  overrides: Parameters<typeof openGateway>[0],
) {
  await using server = await openSseServer((reply) => reply.fail(status, body));
  await using gateway = await openGateway(overrides);
  const { error } = await gateway.ask(chatRequest(provider, `${server.url}${path}`, {}, { model }));
  return {
    code: error?.code,
    retryable: error?.retryable,
    says: error?.message.replace(/^provider-\d+ \([^)]*\): /u, "") ?? "",
  };
}

const ANTHROPIC: Refusal = {
  provider: "anthropic",
  path: "",
  model: "claude-sonnet-4-20250514",
  status: 404,
  body: {
    type: "error",
    error: { type: "not_found_error", message: "model: claude-sonnet-4-20250514" },
    request_id: "req_1",
  },
};

describe("llm-gateway with a model that its provider has retired", () => {
  for (const [provider = "", path = "", model = "", status, day, successor, body = ""] of tableRows(
    RETIRED,
  )) {
    it(`says so, and what to use, when ${provider}${path} answers ${status} for ${model}`, async () => {
      const refusal = { provider, path, model, status: Number(status), body: parseBody(parseJson(body)) };
      const { says, retryable } = await refused(refusal, { now: AFTER });
      expect(says).to.equal(`model ${model} was retired on ${day}, use ${successor}`);
      expect(retryable).to.equal(false);
    });
  }

  it("keeps the provider's words before that day, and without a listed day", async () => {
    const present = {
      code: "invalid_request",
      retryable: false,
      says: "the provider refused the request (404): model: claude-sonnet-4-20250514",
    };
    const before = () => new Date("2026-06-14T23:59:59Z");
    expect(await refused(ANTHROPIC, { now: before })).to.deep.equal(present);
    const other = { ...ANTHROPIC, model: "claude-sonnet-5" };
    expect(await refused(other, { now: AFTER })).to.deep.equal(present);
    const now = () => new Date("2026-06-15T00:00:00Z");
    expect((await refused(ANTHROPIC, { now })).code).to.equal("invalid_request");
  });

  it("keeps the reason of a refusal that is not about the model", async () => {
    for (const [status, message] of [
      [400, "messages: at least one is required"],
      [404, "Cannot POST /v1/messages"],
      [529, "Overloaded"],
    ] as const) {
      const body = { type: "error", error: { type: "some_error", message } };
      const { says } = await refused({ ...ANTHROPIC, status, body }, { now: AFTER });
      expect(says).to.include(message);
    }
  });
});
