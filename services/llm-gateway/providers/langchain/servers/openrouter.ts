import { PROVIDER_URLS } from "../../provider-urls.ts";
import { isObject } from "#shared/exact-json.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { withRaw } from "../response/repair-error-body.ts";
import { detailsText } from "../response/reasoning-details.ts";
import type { ChatServer } from "./chat-server.ts";

/**
 * OpenRouter passes requests on to many providers. It gives reasoning as a list of details, some of them signed or
 * encrypted, which the provider behind it may require back unchanged, and reports a provider's failure as an HTTP status
 * in the stream.
 */
export const OPENROUTER: ChatServer = {
  url: PROVIDER_URLS.openrouter,
  reasoning: "all",
  adaptChunk: (chunk) => {
    const error = chunk["error"];
    if (isObject(error)) return { ...chunk, error: { ...withRaw(error), type: kindOf(error) } };
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    return { ...chunk, choices: choices.map((choice) => (isObject(choice) ? withThoughts(choice) : choice)) };
  },
};

/** Shows the text of the details where the text itself is missing. */
function withThoughts(choice: JsonObject): JsonObject {
  const { delta } = choice;
  if (!isObject(delta) || typeof delta["reasoning"] === "string") return choice;
  const reasoning = detailsText(delta["reasoning_details"]);
  return reasoning === "" ? choice : { ...choice, delta: { ...delta, reasoning } };
}

const KINDS: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_credits",
  403: "moderation",
  408: "timeout",
  429: "rate_limit_exceeded",
  502: "overloaded",
  503: "overloaded",
  529: "overloaded",
};

/** The error's kind in OpenAI's words. */
function kindOf({ code, type }: JsonObject): unknown {
  return KINDS[Number(code)] ?? type ?? code;
}
