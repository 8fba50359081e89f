import { parseJson, parseJsonObject } from "../../../parse-json.ts";
import { isObject } from "#shared/exact-json.ts";

/**
 * The body of an error response in OpenAI's form, the only one that the SDK reads. Servers also send the error's fields
 * at the top (Mistral, vLLM) or a `detail` (FastAPI); OpenRouter puts the error of the provider behind it, as text, into
 * `metadata.raw`. Any other body is returned unchanged.
 */
export function repairErrorBody(text: string): string {
  const body = parseJsonObject(text);
  if (body === undefined) return text;
  const { error } = body;
  if (isObject(error)) return JSON.stringify({ ...body, error: withRaw(error) });
  if (error !== undefined) return text;
  const message = body["message"] ?? body["detail"];
  if (message === undefined) return text;
  return JSON.stringify({
    error: { ...body, message: typeof message === "string" ? message : JSON.stringify(message) },
  });
}

/** Adds what the provider behind a router said to the error's message. */
export function withRaw(error: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = error;
  if (!isObject(metadata)) return error;
  const raw = typeof metadata["raw"] === "string" ? innerMessage(metadata["raw"]) : undefined;
  const provider = typeof metadata["provider_name"] === "string" ? metadata["provider_name"] : undefined;
  const reasons = Array.isArray(metadata["reasons"]) ? metadata["reasons"].join(", ") : undefined;
  const added = [provider, raw, reasons].filter((part) => part !== undefined && part !== "").join(": ");
  if (added === "") return error;
  const message = typeof error["message"] === "string" ? error["message"] : "";
  return {
    ...error,
    message: `${message} (${added})`.trim(),
    ...(reasons === undefined ? {} : { type: "moderation" }),
  };
}

function innerMessage(raw: string): string {
  const value = parseJson(raw);
  if (!isObject(value)) return raw;
  const inner = isObject(value["error"]) ? value["error"] : value;
  return typeof inner["message"] === "string" ? inner["message"] : raw;
}
