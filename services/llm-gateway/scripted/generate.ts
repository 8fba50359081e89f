import type { Content, Provider, ProviderCall } from "../provider.ts";
import { chooseCall } from "./choose-call.ts";
import { UsageEstimate } from "./estimate-usage.ts";
import { scriptLoader, type ScriptLoader } from "./load-script.ts";
import { playSteps } from "./play-steps.ts";

/** A model that plays a script from the configuration directory: for demos, tests and load, without any LLM. */
export function scripted({ configDir }: { configDir: string }): Provider {
  const load = scriptLoader(configDir);
  return (call) => generate(call, load);
}

async function* generate(
  { request, config, signal }: ProviderCall,
  load: ScriptLoader,
): AsyncGenerator<Content> {
  const { number, steps } = chooseCall(await load(config.script), request);
  const estimate = new UsageEstimate(request.messages);
  let hasUsage = false;
  for await (const content of playSteps(steps, { signal, seed: `${request.executionId}/${number}` })) {
    estimate.add(content);
    hasUsage ||= content.$case === "usage";
    yield content;
  }
  if (!hasUsage) yield { $case: "usage", value: estimate.total() };
}
