import type { GatewayConfig } from "../config.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./select-provider.ts";

/** Binds each provider to its settings; its code is imported with its first call and kept. */
export function loadProviders({
  credentials: env,
  configDir,
  stall,
  retry,
}: Pick<GatewayConfig, "credentials" | "configDir" | "stall" | "retry">): Providers {
  return {
    googleNative: once(async () => {
      const { googleNativeProvider } = await import("./google-native/google-native-provider.ts");
      return googleNativeProvider({ env, stall, retry });
    }),
    langchain: once(async () => {
      const { langchainProvider } = await import("./langchain/langchain-provider.ts");
      return langchainProvider({ env, stall, retry });
    }),
    vertexGemini: once(async () => {
      const { googleNativeProvider } = await import("./google-native/google-native-provider.ts");
      const { openVertexGemini } = await import("./google-native/open-vertex-gemini.ts");
      return googleNativeProvider({ env, stall, retry, open: openVertexGemini(env) });
    }),
    scripted: once(async () => {
      const { scriptedProvider } = await import("./scripted/scripted-provider.ts");
      return scriptedProvider({ configDir, stall, retry });
    }),
  };
}

function once(load: () => Promise<Provider>): () => Promise<Provider> {
  let loaded: Promise<Provider> | undefined;
  return () => (loaded ??= load());
}
