import { expect } from "chai";
import { callTimeoutMs } from "../llm/generate-request.ts";
import { resolvedAgent } from "./resolved-chain.ts";

describe("callTimeoutMs", () => {
  const limit = (iteration_timeout_ms: number, provider: { readonly call_timeout_ms?: number }) => {
    const agent = resolvedAgent();
    return callTimeoutMs({
      ...agent,
      iteration_timeout_ms,
      llm_provider: { ...agent.llm_provider, ...provider },
    });
  };

  it("is the iteration's time, or the provider's if that is shorter", () => {
    expect(limit(120_000, {})).to.equal(120_000);
    expect(limit(120_000, { call_timeout_ms: 30_000 })).to.equal(30_000);
    expect(limit(120_000, { call_timeout_ms: 600_000 })).to.equal(120_000);
  });
});
