import { expect } from "chai";
import { INITIAL_ITERATION_STATE, type IterationState } from "#shared/contracts/iteration-state.ts";
import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import {
  agentWithProvider,
  candidates,
  changeAfterFailure,
  failuresAllowed,
} from "../controllers/choose-provider.ts";
import { nextSummaryPosition } from "../summary-calls.ts";
import { resolvedAgent, scriptedProvider } from "./resolved-chain.ts";

const agentOf = (strategy: IterationStrategy, ...fallbacks: string[]) => ({
  ...resolvedAgent("Ann", strategy),
  fallback_providers: fallbacks.map((name) => scriptedProvider(name, `${name}.yaml`)),
});
const failed = (code: string, rest: Partial<IterationState> = {}): IterationState => ({
  ...INITIAL_ITERATION_STATE,
  iteration: 1,
  last_failed: true,
  last_error: "no",
  last_error_code: code,
  provider_failures: 1,
  ...rest,
});

describe("the choice of a provider", () => {
  it("follows one failure that no retry helps, and two of any other kind", () => {
    const table: readonly (readonly [code: string, retryable: boolean, failures: number])[] = [
      ["max_retries", true, 1],
      ["max_retries", false, 1],
      ["credentials", false, 1],
      ["unknown_provider", false, 1],
      ["changed_provider", false, 1],
      ["invalid_backend", false, 1],
      ["context_too_long", false, 1],
      ["content_blocked", false, 1],
      ["content_blocked", true, 2],
      // The stated wait was too long, or a daily quota is used up.
      ["rate_limited", false, 1],
      ["overloaded", false, 1],
      ["provider_error", false, 1],
      ["provider_error", true, 2],
      ["invalid_request", false, 2],
      ["timeout", true, 2],
      ["partial_stream_error", true, 2],
      ["gateway_unavailable", true, 2],
      ["internal", false, 2],
      ["a code of a newer gateway", true, 2],
      ["empty_response", true, 1],
      ["output_loop", true, Infinity],
      ["message_too_large", false, Infinity],
    ];
    for (const [code, retryable, failures] of table) {
      expect(failuresAllowed(code, retryable), `${code}, retryable: ${retryable}`).to.equal(failures);
    }
  });

  it("changes after the failures allowed, to the next provider of another name", () => {
    const agent = agentOf("react", "scripted", "two");
    expect(changeAfterFailure({ agent, iteration: failed("provider_error") })).to.equal(null);
    expect(
      changeAfterFailure({ agent, iteration: failed("provider_error", { provider_failures: 2 }) }),
    ).to.deep.include({ kind: "change-provider", reason: "no", errorCode: "provider_error" });
    expect(changeAfterFailure({ agent, iteration: failed("max_retries") })?.next).to.deep.include({
      distance: 2,
    });
    const succeeded = { ...failed("provider_error"), last_failed: false };
    expect(changeAfterFailure({ agent, iteration: succeeded })).to.equal(null);
  });

  it("changes at the first failure where no other call follows", () => {
    const iteration = failed("provider_error");
    expect(changeAfterFailure({ agent: agentOf("single-call", "two"), iteration })).not.to.equal(null);
    expect(changeAfterFailure({ agent: agentOf("synthesis", "two"), iteration })).not.to.equal(null);
    const agent = agentOf("react", "two");
    expect(changeAfterFailure({ agent, iteration: { ...iteration, phase: "concluding" } })).not.to.equal(
      null,
    );
    const limited = { ...agent, max_iterations: 1 };
    expect(changeAfterFailure({ agent: limited, iteration })).not.to.equal(null);
    expect(changeAfterFailure({ agent: limited, iteration: { ...iteration, uncounted: 1 } })).to.equal(null);
    expect(changeAfterFailure({ agent: limited, iteration: failed("output_loop") })).to.equal(null);
  });

  it("ends with the last provider, and goes on from the one in use", () => {
    const agent = agentOf("single-call", "two", "scripted", "three");
    const second = agentWithProvider(agent, { provider: { position: 1, since_message: 2 } });
    expect(second.llm_provider.name).to.equal("two");
    // The first may be asked again, once it is not the one that failed.
    expect(candidates(second).map(({ provider }) => provider.name)).to.deep.equal(["scripted", "three"]);
    const last = agentWithProvider(agent, { provider: { position: 3, since_message: 2 } });
    expect(changeAfterFailure({ agent: last, iteration: failed("credentials") })).to.equal(null);
    expect(changeAfterFailure({ agent: resolvedAgent(), iteration: failed("credentials") })).to.equal(null);
    expect(agentWithProvider(agent, {})).to.equal(agent);
  });

  it("of a summary follows from the calls recorded for it", () => {
    const agent = agentOf("react", "two", "two", "three");
    const calls = (...errors: (readonly [code: string, position: number])[]) =>
      nextSummaryPosition(
        agent,
        errors.map(([error_code, position]) => ({ error_code, position })),
      );
    expect(calls()).to.equal(0);
    expect(calls(["provider_error", 0])).to.equal(1);
    expect(calls(["provider_error", 0], ["credentials", 1])).to.equal(3);
    expect(calls(["provider_error", 0], ["credentials", 1], ["timeout", 3])).to.equal(null);
    expect(calls(["output_loop", 0])).to.equal(null);
    expect(calls(["empty_response", 0])).to.equal(0);
    expect(calls(["empty_response", 0], ["empty_response", 0])).to.equal(0);
    expect(calls(["empty_response", 0], ["empty_response", 0], ["empty_response", 0])).to.equal(1);
    expect(calls(["provider_error", 0], ["empty_response", 1])).to.equal(1);
  });
});
