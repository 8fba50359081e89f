import type { Environment } from "#shared/environment.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { refusal } from "../llm-error.ts";
import type { ChatAddress, ChatBackend } from "./chat-backend.ts";
import { credential } from "./credential.ts";
import { keepRecent } from "./keep-recent.ts";

/** A model to call, and what must never be repeated of the way to it. */
export interface OpenedBackend {
  readonly backend: ChatBackend;
  readonly secrets: readonly string[];
}

/** Opens the model a call's settings name. Throws TerminalError `credentials`, `invalid_request` or `invalid_backend`. */
export type OpenBackend = (config: LLMConfig) => Promise<OpenedBackend>;

const MAX_BACKENDS = 32;

/** Opens models by provider, each provider's SDK imported with its first call, and keeps those used last. */
export function openBackends(env: Environment): OpenBackend {
  const openers = {
    openai: once(async () => keepRecent(MAX_BACKENDS, (await import("./open-openai.ts")).openOpenai)),
    xai: once(async () => keepRecent(MAX_BACKENDS, (await import("./open-xai.ts")).openXai)),
    anthropic: once(async () =>
      keepRecent(MAX_BACKENDS, (await import("./open-anthropic.ts")).openAnthropic),
    ),
  };
  return async ({ provider, model, apiKeyEnv, baseUrl }) => {
    if (provider !== "openai" && provider !== "xai" && provider !== "anthropic") {
      throw refusal(
        "invalid_backend",
        `llm_config.provider "${provider}" cannot be served with backend "langchain"`,
      );
    }
    const apiKey = credential(apiKeyEnv, baseUrl, env);
    const open: (address: ChatAddress) => ChatBackend = await openers[provider]();
    return { backend: open({ model, apiKey, baseUrl }), secrets: apiKey === undefined ? [] : [apiKey] };
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
