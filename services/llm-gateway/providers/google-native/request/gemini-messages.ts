import type { Content, Part } from "@google/genai";
import type { ConversationMessage, ToolCall } from "#shared/generated/llm/v1/llm.ts";
import { normaliseConversation } from "../../../conversation/normalise-conversation.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { isObject } from "#shared/exact-json.ts";
import { parseJson, parseJsonObject } from "../../../parse-json.ts";
import { decodeGeminiState } from "../gemini-state.ts";
import { geminiVersion } from "../gemini-version.ts";

/**
 * Google's documented replacement for a missing thought signature, e.g. after another model began the conversation.
 * From Gemini 3 on, the API refuses function calls of the current turn without a signature.
 */
const PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator";

/** A conversation in Gemini's form. */
interface GeminiConversation {
  readonly systemInstruction: string | undefined;
  readonly contents: Content[];
}

/**
 * Converts a conversation to Gemini's form. The results of one turn's tool calls go into one content, and each thought
 * signature goes back with its part. If the current turn's calls have no signature and `model` requires one, the first
 * call gets the documented placeholder. Throws what normaliseConversation throws.
 */
export function geminiMessages(all: readonly ConversationMessage[], model: string): GeminiConversation {
  const { system, messages } = normaliseConversation(all);
  const contents: Content[] = [];
  const providerIds = new Map<string, string>();
  let results: Part[] | undefined;
  // A turn starts with a user message; tool results belong to the turn of their calls.
  const turnStart = needsSignature(model)
    ? messages.findLastIndex(({ role }) => role === "user")
    : messages.length;
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (results === undefined) contents.push({ role: "user", parts: (results = []) });
      results.push(functionResponse(message, providerIds));
      continue;
    }
    results = undefined;
    if (message.role === "user") {
      contents.push({ role: "user", parts: [{ text: message.content }] });
      continue;
    }
    const parts = assistantParts(message, providerIds);
    if (index > turnStart) signFirstCall(parts);
    contents.push({ role: "model", parts });
  }
  return { systemInstruction: system, contents };
}

/** Of parallel calls only the first has a signature, and Gemini checks only that one. */
function signFirstCall(parts: readonly Part[]): void {
  const first = parts.find((part) => part.functionCall !== undefined);
  if (first !== undefined) first.thoughtSignature ??= PLACEHOLDER_SIGNATURE;
}

/** Rebuilds the parts that the model sent. Text that was changed since is sent as one part, without its signatures. */
function assistantParts(message: ConversationMessage, providerIds: Map<string, string>): Part[] {
  const layout = decodeGeminiState(message.providerState);
  const parts: Part[] = [];
  const calls = new Map(message.toolCalls.map((call) => [call.id, call]));
  const textLength = layout.reduce((sum, part) => sum + ("text" in part ? part.text : 0), 0);
  const textIntact = textLength === message.content.length;
  if (!textIntact && message.content !== "") parts.push({ text: message.content });
  let offset = 0;
  for (const part of layout) {
    const signature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
    if ("text" in part) {
      if (!textIntact) continue;
      parts.push({ text: message.content.slice(offset, offset + part.text), ...signature });
      offset += part.text;
      continue;
    }
    const call = calls.get(part.call);
    if (call === undefined) continue;
    calls.delete(part.call);
    if (part.provider_id !== undefined) providerIds.set(part.call, part.provider_id);
    parts.push({ functionCall: functionCall(call, part.provider_id), ...signature });
  }
  for (const call of calls.values()) parts.push({ functionCall: functionCall(call, undefined) });
  return parts;
}

function functionCall(call: ToolCall, providerId: string | undefined): NonNullable<Part["functionCall"]> {
  return {
    name: toolAlias(call.name),
    args: parseJsonObject(call.arguments) ?? {},
    ...(providerId === undefined ? {} : { id: providerId }),
  };
}

function functionResponse(message: ConversationMessage, providerIds: ReadonlyMap<string, string>): Part {
  const id = providerIds.get(message.toolCallId);
  return {
    functionResponse: {
      name: toolAlias(message.toolName),
      response: responseObject(message.content),
      ...(id === undefined ? {} : { id }),
    },
  };
}

function responseObject(content: string): Record<string, unknown> {
  if (content.trim() === "") return {};
  const value = parseJson(content);
  if (value === undefined) return { text: content };
  return isObject(value) ? value : { result: value };
}

/** True for models that refuse function calls without a signature; also for names without a version, to be safe. */
function needsSignature(model: string): boolean {
  return (geminiVersion(model) ?? 3) >= 3;
}
