import { PROVIDER_URLS } from "../../provider-urls.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { chatCompletionsModel } from "./open-openai.ts";

/**
 * Opens a model of xAI, whose API is OpenAI's chat completions. Throws TerminalError `invalid_request` for an invalid
 * base_url.
 */
export function openXai(address: ChatAddress): ChatModel {
  return chatCompletionsModel(address, PROVIDER_URLS.xai);
}
