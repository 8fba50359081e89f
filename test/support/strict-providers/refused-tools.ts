import { refusedAnthropicTools } from "./anthropic-tools.ts";
import { refusedGeminiTools } from "./gemini-tools.ts";
import { refusedChatTools, refusedResponsesTools } from "./openai-tools.ts";

/** The body of the 400 with which a provider refuses a request for its tools; undefined if it accepts them. */
export function refusedTools(path: string, body: unknown): object | undefined {
  const { pathname } = new URL(path, "http://provider");
  if (pathname.endsWith("/chat/completions")) return openai(refusedChatTools(body));
  if (pathname.endsWith("/responses")) return openai(refusedResponsesTools(body));
  if (pathname.endsWith("/messages") || /\/publishers\/anthropic\//u.test(pathname)) {
    const message = refusedAnthropicTools(body);
    return message === undefined
      ? undefined
      : { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" };
  }
  if (/:(?:streamGenerateContent|generateContent)$/u.test(pathname)) {
    const message = refusedGeminiTools(body);
    return message === undefined ? undefined : { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  }
  return undefined;
}

function openai(message: string | undefined): object | undefined {
  if (message === undefined) return undefined;
  return {
    error: { message, type: "invalid_request_error", param: "tools", code: "invalid_function_parameters" },
  };
}
