import { backendsOf } from "#shared/agent-config/schemas/backend.ts";
import type { LlmBackend, ProviderType, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { typeSettings } from "#shared/agent-config/provider-keys.ts";
import { providerTimeouts } from "#shared/agent-config/provider-timeouts.ts";
import { TerminalError } from "#shared/errors.ts";

/** The settings at the mention of a provider. */
interface NamedProvider {
  /** The default is that of the provider's type by default, and where it does not serve the type. */
  readonly backend?: LlmBackend | undefined;
  /** The longest call, if the provider's entry does not say. */
  readonly callMs?: number | undefined;
}

/** A provider as an execution uses it. Throws TerminalError `invalid_configuration` for an unknown name. */
export function resolveProvider(
  config: Pick<AgentConfig, "llmProviders">,
  name: string,
  { backend, callMs }: NamedProvider,
): ResolvedProvider {
  const provider = config.llmProviders.get(name);
  if (provider === undefined) {
    throw new TerminalError("invalid_configuration", `there is no LLM provider ${name}`);
  }
  const { type, model, max_tool_result_tokens, max_output_tokens, native_tools } = provider;
  const callTimeoutMs = providerTimeouts(provider)?.callMs ?? callMs;
  const { api_key_env, credentials_env, project, location, base_url, script } = provider;
  return {
    name,
    type,
    model,
    backend: backend !== undefined && backendsOf(type).includes(backend) ? backend : chooseBackend(type),
    ...(api_key_env === undefined ? {} : { api_key_env }),
    ...(credentials_env === undefined ? {} : { credentials_env }),
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
    ...(base_url === undefined ? {} : { base_url: withoutCredentials(base_url) }),
    ...(script === undefined ? {} : { script }),
    ...typeSettings(provider),
    max_tool_result_tokens,
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    ...(callTimeoutMs === undefined ? {} : { call_timeout_ms: callTimeoutMs }),
    native_tools: { ...native_tools },
  };
}

/** The gateway has the whole address in its own file; user, password and query may be secret and are not stored. */
function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.username === "" && url.password === "" && url.search === "")) return address;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Chooses the gateway's client. The format asks for `langchain` with ReAct, synthesis and single calls, and for
 * the native client with the native strategies on Google. A Google provider's `langchain` may delegate to the
 * native client, which keeps its signatures, and does so here. The native strategies on other providers run on
 * `langchain` with bound tools.
 */
function chooseBackend(type: ProviderType): LlmBackend {
  if (type === "scripted") return "scripted";
  return type === "google" ? "google-native" : "langchain";
}
