import { GoogleGenAI } from "@google/genai";
import type { Environment } from "#shared/environment.ts";
import type { OpenGeminiClient } from "./google-native-provider.ts";
import { googleCredentials } from "../vertex/google-credentials.ts";
import { vertexAddress } from "../vertex/vertex-address.ts";

/** Opens the clients for Gemini on Vertex AI, of the same SDK as Gemini's own and with everything said in full. */
export function openVertexGemini(env: Environment): OpenGeminiClient {
  const find = googleCredentials(env);
  return async (config) => {
    const { url, project, location } = vertexAddress(config);
    const { authClient, secrets } = await find(config);
    const client = new GoogleGenAI({
      vertexai: true,
      project,
      location,
      googleAuthOptions: { authClient },
      httpOptions: { baseUrl: `${url}/` },
    });
    return { client, secrets, apiKeyEnv: config.credentialsEnv };
  };
}
