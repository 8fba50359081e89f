import type { IterationStrategy, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { chooseBackend } from "#shared/agent-config/choose-backend.ts";

/** A provider as an execution with this strategy uses it. Throws TerminalError if there is none of the name. */
export function resolveProvider(
  config: AgentConfig,
  name: string,
  strategy: IterationStrategy,
): ResolvedProvider {
  const provider = config.llmProviders.get(name);
  if (provider === undefined) {
    throw new TerminalError("invalid_configuration", `there is no LLM provider ${name}`);
  }
  const { type, model, max_tool_result_tokens, native_tools } = provider;
  const { api_key_env, credentials_env, project, location, base_url, script } = provider;
  return {
    name,
    type,
    model,
    backend: chooseBackend(strategy, type),
    ...(api_key_env === undefined ? {} : { api_key_env }),
    ...(credentials_env === undefined ? {} : { credentials_env }),
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
    ...(base_url === undefined ? {} : { base_url }),
    ...(script === undefined ? {} : { script }),
    max_tool_result_tokens,
    native_tools: { ...native_tools },
  };
}
