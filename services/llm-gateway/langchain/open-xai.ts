import type { ChatAddress, ChatBackend } from "./chat-backend.ts";
import { chatBackend } from "./open-openai.ts";

const XAI_URL = "https://api.x.ai/v1";

/**
 * Opens a model of xAI's, which speaks OpenAI's chat completions. Throws TerminalError `invalid_request` for an
 * unusable address.
 */
export function openXai(address: ChatAddress): ChatBackend {
  return chatBackend(address, XAI_URL);
}
