import { expect } from "chai";
import { openGatewayProcess } from "./open-gateway-process.ts";
import { collect, scriptedRequest } from "./open-gateway.ts";

describe("llm-gateway process", () => {
  it("serves calls, health and metrics, and stops in good order", async () => {
    using gateway = await openGatewayProcess();
    const answer = await collect(gateway.client.generate(scriptedRequest("../outside.yaml")));
    expect(answer.error?.code).to.equal("invalid_request");
    expect((await fetch(`${gateway.healthUrl}/readyz`)).status).to.equal(200);
    const metrics = await (await fetch(`${gateway.healthUrl}/metrics`)).text();
    expect(metrics).to.contain('outcome="invalid_request"} 1');
    expect((await gateway.stop()).code).to.equal(0);
  });
});
