import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { chatCompletionsModel } from "./open-openai.ts";

const XAI_URL = "https://api.x.ai/v1";

/**
 * Opens a model of xAI's, which speaks OpenAI's chat completions. Throws TerminalError `invalid_request` for an
 * unusable address.
 */
export function openXai(address: ChatAddress): ChatModel {
  return chatCompletionsModel(address, XAI_URL);
}
