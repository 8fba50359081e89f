import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { openGatewayProcess } from "./open-gateway-process.ts";
import { collect, scriptedRequest } from "./open-gateway.ts";
import { openCollector, tempting } from "./trace-collector.ts";
import { chatRequest, completes } from "./wire.ts";

const KEY = "key-that-must-not-leak";

describe("llm-gateway process", () => {
  it("serves calls, health and metrics, logs failures without the key, records and traces, and stops in good order", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-recordings-"));
    await using server = await openSseServer(completes([{ content: "fine" }]));
    const port = await testPort();
    const config = { apiKeyEnv: "TEST_KEY" };
    const outside = scriptedRequest("../outside.yaml");
    const refused = chatRequest("openai", `http://127.0.0.1:${port}/v1?key=${KEY}`, {}, config);
    const answered = chatRequest("openai", `${server.url}/v1`, {}, config);
    const dir = join(directory.path, "recordings");
    await using collector = await openCollector();
    const variables = tempting(collector.url);
    using gateway = await openGatewayProcess([outside, refused, answered], {
      ...variables,
      TEST_KEY: KEY,
      LLM_RECORDINGS_DIR: dir,
      LLM_SDK_VARIABLES: Object.keys(variables).join(", "),
    });
    expect((await collect(gateway.client.generate(outside))).error?.code).to.equal("invalid_request");
    expect((await collect(gateway.client.generate(answered))).text).to.equal("fine");
    // LLM_SDK_VARIABLES allows the SDKs to send traces and headers.
    expect(server.requests[0]?.headers).to.have.property("x-stray");
    await collector.called;
    const { error } = await collect(gateway.client.generate(refused));
    expect((await fetch(`${gateway.healthUrl}/readyz`)).status).to.equal(200);
    const metrics = await (await fetch(`${gateway.healthUrl}/metrics`)).text();
    expect(metrics).to.contain('outcome="invalid_request"} 1');

    const { code, output } = await gateway.stop();
    expect(code).to.equal(0);
    const lines = output.trim().split("\n");
    const failure = lines.find((text) => text.includes('"call failed"') && text.includes("max_retries"));
    const line: unknown = JSON.parse(failure ?? "null");
    expect(line).to.deep.include({
      provider: refused.llmConfig?.providerName,
      model: "gpt-4o",
      address: `http://127.0.0.1:${port}`,
      code: "max_retries",
      error: error?.message,
      retry_after_ms: 15_000,
    });
    expect(error?.message).to.match(/^provider-\d+ \(gpt-4o at http:\/\/127\.0\.0\.1:\d+\): gave up/u);
    expect(output).not.to.contain(KEY);
    expect(output).to.contain("exchanges with providers are recorded");
    // One of the answer, and one of each try that was refused.
    expect(await readdir(dir)).to.have.length(4);
  });
});
