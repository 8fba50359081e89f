import type { GatewayConfig } from "./config.ts";
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
      const { googleNative } = await import("./google-native/generate.ts");
      return googleNative({ env, stall, retry });
    }),
    langchain: once(async () => {
      const { langchain } = await import("./langchain/generate.ts");
      return langchain({ env, stall, retry });
    }),
    vertexGemini: once(async () => {
      const { googleNative } = await import("./google-native/generate.ts");
      const { openVertexGemini } = await import("./vertex/open-gemini.ts");
      return googleNative({ env, stall, retry, open: openVertexGemini(env) });
    }),
    scripted: once(async () => {
      const { scripted } = await import("./scripted/generate.ts");
      return scripted({ configDir, stall, retry });
    }),
  };
}

function once(load: () => Promise<Provider>): () => Promise<Provider> {
  let loaded: Promise<Provider> | undefined;
  return () => (loaded ??= load());
}
