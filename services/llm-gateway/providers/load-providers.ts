import type { Environment } from "#shared/service/environment.ts";
import type { StallLimits } from "./guard-stalls.ts";
import { loadOnce } from "./load-once.ts";
import type { RetryPolicy } from "./retry-before-output.ts";
import type { Providers } from "./select-provider.ts";

export interface ProviderSettings {
  /** Where credentials are looked up by name. */
  readonly credentials: Environment;
  /** Holds the scripts of scripted providers. */
  readonly configDir: string;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
}

/** Binds each provider to its settings; a provider's code is imported with its first call. */
export function loadProviders({ credentials: env, configDir, stall, retry }: ProviderSettings): Providers {
  return {
    googleNative: loadOnce(async () => {
      const { googleNativeProvider } = await import("./google-native/google-native-provider.ts");
      return googleNativeProvider({ env, stall, retry });
    }),
    langchain: loadOnce(async () => {
      const { langchainProvider } = await import("./langchain/langchain-provider.ts");
      return langchainProvider({ env, stall, retry });
    }),
    vertexGemini: loadOnce(async () => {
      const { googleNativeProvider } = await import("./google-native/google-native-provider.ts");
      const { openVertexGemini } = await import("./google-native/open-vertex-gemini.ts");
      return googleNativeProvider({ env, stall, retry, open: openVertexGemini(env) });
    }),
    scripted: loadOnce(async () => {
      const { scriptedProvider } = await import("./scripted/scripted-provider.ts");
      return scriptedProvider({ configDir, stall, retry });
    }),
  };
}
