import type { RetryableError } from "#shared/errors.ts";
import type { StallLimits } from "../guard-stalls.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { chooseCall } from "./choose-call.ts";
import { UsageEstimate } from "./estimate-usage.ts";
import { scriptLoader } from "./load-script.ts";
import { playSteps } from "./play-steps.ts";
import type { Script } from "#shared/agent-config/scripts/script-schema.ts";

interface ScriptedOptions {
  readonly configDir: string;
  /** How long a `stall` step takes. */
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
}

/** A provider that plays a script from the configuration directory, for demos, tests and benchmarks without an LLM. */
export function scriptedProvider(options: ScriptedOptions): Provider {
  const load = scriptLoader(options.configDir);
  return async function* generate(call) {
    const script = await load(call.config.script);
    const { deadline, signal, log } = call;
    yield* retryBeforeOutput((attempt) => play(script, call, attempt, call.config.stall ?? options.stall), {
      policy: options.retry,
      deadline,
      signal,
      log,
      retried: call.retried,
      // A scripted error ends the call, unless it has `retry_after`.
      isWorthTrying: ({ retryAfterMs }: RetryableError) => retryAfterMs !== undefined,
    });
  };
}

async function* play(
  script: Script,
  { request, config, signal }: ProviderCall,
  attempt: number,
  stall: StallLimits,
): AsyncGenerator<Content> {
  const { number, steps } = chooseCall(script, request, attempt, config.script);
  const estimate = new UsageEstimate(request.messages);
  let hasUsage = false;
  const seed = `${request.executionId}/${number}`;
  for await (const content of playSteps(steps, { signal, seed, stall })) {
    estimate.add(content);
    hasUsage ||= content.$case === "usage";
    yield content;
  }
  if (!hasUsage) yield { $case: "usage", value: estimate.total() };
}
