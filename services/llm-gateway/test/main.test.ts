import { expect } from "chai";
import { testPort } from "../../../test/support/test-port.ts";
import { openGatewayProcess } from "./open-gateway-process.ts";
import { collect, scriptedRequest } from "./open-gateway.ts";
import { chatRequest } from "./wire.ts";

describe("llm-gateway process", () => {
  it("serves calls, health and metrics, and stops in good order", async () => {
    const request = scriptedRequest("../outside.yaml");
    using gateway = await openGatewayProcess([request]);
    const answer = await collect(gateway.client.generate(request));
    expect(answer.error?.code).to.equal("invalid_request");
    expect((await fetch(`${gateway.healthUrl}/readyz`)).status).to.equal(200);
    const metrics = await (await fetch(`${gateway.healthUrl}/metrics`)).text();
    expect(metrics).to.contain('outcome="invalid_request"} 1');
    expect((await gateway.stop()).code).to.equal(0);
  });

  it("logs why a call failed and where it went, and nothing of the key or the rest of base_url", async () => {
    const key = "key-that-must-not-leak";
    const port = await testPort();
    const baseUrl = `http://127.0.0.1:${port}/v1?key=${key}`;
    const request = chatRequest("openai", baseUrl, {}, { apiKeyEnv: "TEST_KEY" });
    using gateway = await openGatewayProcess([request], { TEST_KEY: key });
    const { error } = await collect(gateway.client.generate(request));
    const { output } = await gateway.stop();
    const line: unknown = JSON.parse(
      output.split("\n").find((text) => text.includes('"call failed"')) ?? "null",
    );
    expect(line).to.deep.include({
      provider: request.llmConfig?.providerName,
      model: "gpt-4o",
      address: `http://127.0.0.1:${port}`,
      code: "max_retries",
      error: error?.message,
      retry_after_ms: 15_000,
    });
    expect(error?.message).to.match(/^provider-\d+ \(gpt-4o at http:\/\/127\.0\.0\.1:\d+\): gave up/u);
    expect(output).not.to.contain(key);
  });
});
