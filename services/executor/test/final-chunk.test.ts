import { once } from "node:events";
import { Server, ServerCredentials, status, type ServerWritableStream } from "@grpc/grpc-js";
import { expect } from "chai";
import {
  GenerateRequest,
  LLMServiceService,
  type GenerateResponse,
  type LLMServiceClient,
} from "#shared/generated/llm/v1/llm.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { tryLlmCall } from "../llm/call-llm.ts";
import { openLlmClient } from "../llm/open-llm-client.ts";

type Call = ServerWritableStream<GenerateRequest, GenerateResponse>;

const HOST = "127.0.0.1";
const REQUEST = GenerateRequest.fromJSON({});

describe("a call after its final chunk", () => {
  let server: Server;
  let llm: LLMServiceClient;
  /** The calls so far, none of which the server ends. */
  let calls: Call[];
  let answer: GenerateResponse;

  before(async () => {
    server = new Server();
    server.addService(LLMServiceService, {
      generate: (call: Call) => {
        calls.push(call);
        call.write(answer);
      },
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    server.bindAsync(`${HOST}:0`, ServerCredentials.createInsecure(), (_error, port) => resolve(port));
    const address = `${HOST}:${await promise}`;
    llm = openLlmClient({ address, maxMessageBytes: 1024 * 1024, token: TEST_GATEWAY_TOKEN });
  });
  beforeEach(() => {
    calls = [];
    answer = { content: undefined, isFinal: true };
  });
  after(() => {
    llm.close();
    server.forceShutdown();
  });

  /** Makes a call that ends with `answer`, and returns it as the server sees it. */
  const make = async ({ timeoutMs = 60_000, signal = new AbortController().signal } = {}): Promise<Call> => {
    const handlers = { text: () => undefined, thinking: () => undefined };
    await tryLlmCall({ llm, request: REQUEST, signal, timeoutMs }, handlers);
    const call = calls.at(-1);
    if (call === undefined) throw new Error("the server got no call");
    return call;
  };

  it("is left to the gateway's end, also by a session that is cancelled then", async () => {
    const stop = new AbortController();
    const call = await make({ signal: stop.signal });
    stop.abort();
    // What the executor has sent by then arrives before its next call.
    await make();
    expect(call.cancelled).to.equal(false);
  });

  it("is left to the gateway's end if that chunk is an error", async () => {
    const error = { message: "no", code: "internal", retryable: false, retryAfterMs: 0 };
    answer = { content: { $case: "error", value: error }, isFinal: true };
    const call = await make();
    await make();
    expect(call.cancelled).to.equal(false);
  });

  it("may fail without a consequence", async () => {
    const call = await make();
    call.emit("error", { code: status.INTERNAL, details: "broken" });
    await make();
  });

  it("ends at its deadline if the gateway does not end it", async () => {
    const call = await make({ timeoutMs: 1_000 });
    if (!call.cancelled) await once(call, "cancelled");
  });
});
