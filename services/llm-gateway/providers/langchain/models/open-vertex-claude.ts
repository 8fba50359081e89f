import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import type { AuthClient } from "google-auth-library";
import type { VertexAddress } from "../../vertex/vertex-address.ts";
import { repairAnthropicEvents } from "../response/repair-anthropic-events.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { claudeModel } from "./open-anthropic.ts";
import { providerFetch } from "./provider-fetch.ts";

/** Opens a Claude model on Vertex AI. */
export function openVertexClaude(
  settings: Pick<ChatAddress, "model" | "maxOutputTokens">,
  address: VertexAddress,
  authClient: AuthClient,
): ChatModel {
  const client = new AnthropicVertex({
    authClient,
    projectId: address.project,
    region: address.location,
    baseURL: `${address.url}/v1`,
    maxRetries: 0,
    logLevel: "off",
    fetch: providerFetch(repairAnthropicEvents),
  });
  return claudeModel(settings, client);
}
