import { expect } from "chai";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import {
  OPEN_TYPES_VERSION,
  RESOLVED_CHAIN_VERSION,
  chainVersion,
  hashResolvedChain,
  parseResolvedChain,
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
  it("returns a chain as it was stored", () => {
    const stored: unknown = JSON.parse(JSON.stringify(CHAIN));
    expect(parseResolvedChain(stored)).to.deep.equal(CHAIN);
  });

  it("reads a chain of version 1, which has no version", () => {
    const { version: _none, ...stored } = CHAIN;
    expect(parseResolvedChain(stored)).to.deep.equal(CHAIN);
    expect(parseResolvedChain({ ...stored, version: 1 })).to.deep.equal(CHAIN);
  });

  it("ignores properties that it does not know", () => {
    expect(parseResolvedChain({ ...CHAIN, added_later: 1 })).to.include({ chain_id: "c" });
  });

  it("leaves a chain of a newer version to a newer process", () => {
    const stored = { version: OPEN_TYPES_VERSION + 1, stages: "another shape" };
    expect(() => parseResolvedChain(stored)).to.throw(RetryableError, /reads versions up to 3/u);
    expect(() => parseResolvedChain({ ...CHAIN, version: "2" })).to.throw(TerminalError, "malformed version");
  });

  it("reads types of providers that it does not know, in a version that readers of closed types leave alone", () => {
    const [stage] = CHAIN.stages;
    const agents = (stage?.agents ?? []).map((agent) => ({
      ...agent,
      llm_provider: { ...agent.llm_provider, type: "added-later" },
    }));
    const stages = CHAIN.stages.map((one) => ({ ...one, agents }));
    expect(chainVersion(CHAIN.stages)).to.equal(RESOLVED_CHAIN_VERSION);
    const version = chainVersion(stages);
    expect(version).to.equal(OPEN_TYPES_VERSION);
    expect(parseResolvedChain({ ...CHAIN, version, stages })).to.deep.equal({ ...CHAIN, version, stages });
    const [later] = agents;
    const withFallback = CHAIN.stages.map((one) => ({
      ...one,
      agents: one.agents.map((agent) => ({
        ...agent,
        fallback_providers: later ? [later.llm_provider] : [],
      })),
    }));
    expect(chainVersion(withFallback)).to.equal(OPEN_TYPES_VERSION);
    const synthesised = CHAIN.stages.map((one) => ({
      ...one,
      ...(agents[0] ? { synthesis: agents[0] } : {}),
    }));
    expect(chainVersion(synthesised)).to.equal(OPEN_TYPES_VERSION);
  });

  it("names what is invalid in a stored chain", () => {
    expect(() => parseResolvedChain({ ...CHAIN, stages: [] })).to.throw(/stages must NOT have fewer than 1/u);
    expect(() => parseResolvedChain({})).to.throw("malformed resolved chain");
  });
});

describe("hashResolvedChain", () => {
  it("is equal for equal chains and differs for others", () => {
    expect(hashResolvedChain(structuredClone(CHAIN))).to.equal(hashResolvedChain(CHAIN));
    expect(hashResolvedChain({ ...CHAIN, default_runbook: "x" })).to.not.equal(hashResolvedChain(CHAIN));
  });
});
