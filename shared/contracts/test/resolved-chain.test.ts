import { expect } from "chai";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import {
  RESOLVED_CHAIN_VERSION,
  hashResolvedChain,
  parseResolvedChain,
  storedChain,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";

const CHAIN: ResolvedChain = {
  version: RESOLVED_CHAIN_VERSION,
  chain_id: "c",
  alert_type: "a",
  session_timeout_ms: 1,
  max_parallel_agents: 1,
  mcp_server_instructions: {},
  default_runbook: "",
  stages: [
    {
      name: "s",
      parallel_type: null,
      success_policy: "any",
      agents: [
        {
          name: "A",
          iteration_strategy: "single-call",
          max_iterations: 1,
          iteration_timeout_ms: 1,
          mcp_servers: [],
          custom_instructions: "",
          llm_provider: {
            name: "p",
            type: "scripted",
            model: "m",
            backend: "scripted",
            max_tool_result_tokens: 1,
            native_tools: {},
          },
        },
      ],
    },
  ],
};

describe("parseResolvedChain", () => {
  const stored = storedChain(CHAIN);

  it("returns a chain as it was before it was stored", () => {
    const json: unknown = JSON.parse(JSON.stringify(stored));
    expect(parseResolvedChain(json)).to.deep.equal(CHAIN);
  });

  it("stores a stage at its number, from 1", () => {
    expect(stored).to.deep.include({ version: 1, stages: [null, ...CHAIN.stages] });
  });

  it("ignores properties that it does not know", () => {
    expect(parseResolvedChain({ ...stored, added_later: 1 })).to.include({ chain_id: "c" });
  });

  it("leaves a chain of a newer version to a newer process", () => {
    const newer = { version: RESOLVED_CHAIN_VERSION + 1, stages: "another shape" };
    expect(() => parseResolvedChain(newer)).to.throw(RetryableError, /reads versions up to 1/u);
    expect(() => parseResolvedChain({ ...stored, version: "2" })).to.throw(
      TerminalError,
      "malformed version",
    );
  });

  it("reads types of providers that it does not know", () => {
    const [stage] = CHAIN.stages;
    const agents = (stage?.agents ?? []).map((agent) => ({
      ...agent,
      llm_provider: { ...agent.llm_provider, type: "added-later" },
    }));
    const chain = { ...CHAIN, stages: CHAIN.stages.map((one) => ({ ...one, agents })) };
    expect(parseResolvedChain(storedChain(chain))).to.deep.equal(chain);
  });

  it("names what is invalid in a stored chain", () => {
    expect(() => parseResolvedChain({ ...stored, stages: [null] })).to.throw(
      /stages must NOT have fewer than 2/u,
    );
    expect(() => parseResolvedChain({})).to.throw("malformed version of a resolved chain");
  });
});

describe("hashResolvedChain", () => {
  it("is equal for equal chains and differs for others", () => {
    expect(hashResolvedChain(structuredClone(CHAIN))).to.equal(hashResolvedChain(CHAIN));
    expect(hashResolvedChain({ ...CHAIN, default_runbook: "x" })).to.not.equal(hashResolvedChain(CHAIN));
  });
});
