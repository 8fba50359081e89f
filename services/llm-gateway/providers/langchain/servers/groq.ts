import { PROVIDER_URLS } from "../../provider-urls.ts";
import type { ChatServer } from "./chat-server.ts";

/** The models that write their thoughts into the text unless they are asked not to; others refuse the parameter. */
const THINKS_ALOUD = /qwen-?3|qwq|deepseek-r1/iu;

/** Groq refuses reasoning in a request's messages. */
export const GROQ: ChatServer = {
  url: PROVIDER_URLS.groq,
  reasoning: "none",
  adaptRequest: (request, plain) =>
    !plain && THINKS_ALOUD.test(String(request["model"]))
      ? { ...request, reasoning_format: "parsed" }
      : request,
};
