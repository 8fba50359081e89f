import { GoogleGenAI } from "@google/genai";
import type { Environment } from "#shared/service/environment.ts";
import { googleCredentials } from "../vertex/google-credentials.ts";
import { vertexAddress } from "../vertex/vertex-address.ts";
import type { OpenGeminiClient } from "./gemini-client.ts";

/** Opens clients for Gemini on Vertex AI. Every option is set, because the SDK falls back to environment variables. */
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
    return { client, template: undefined, secrets, credential: config.credentialsEnv };
  };
}
