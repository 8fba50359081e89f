import type { Content, Part } from "@google/genai";
import type { ConversationMessage, ToolCall } from "#shared/generated/llm/v1/llm.ts";
import { normaliseConversation } from "../../../conversation/normalise-conversation.ts";
import { PLACEHOLDER_SIGNATURE, needsSignature } from "./placeholder-signature.ts";
import { isObject, parseJson, parseJsonObject } from "../../../parse-json.ts";
import { decodeGeminiState } from "../gemini-state.ts";
import { encodeToolName } from "../../../conversation/tool-names.ts";

/** A conversation as Gemini wants it. */
export interface GeminiConversation {
  readonly systemInstruction: string | undefined;
  readonly contents: Content[];
}

/**
 * Converts the whole conversation. Results of one turn's tool calls go into one content, as Gemini wants them; thought
 * signatures return with the part they came with; where the current turn's calls have none and `model` insists on it, the
 * documented placeholder stands in. Throws TerminalError `invalid_request` for a second system message, an unknown
 * role, or a conversation without any content.
 */
export function geminiMessages(all: readonly ConversationMessage[], model: string): GeminiConversation {
  const { system, messages } = normaliseConversation(all);
  const contents: Content[] = [];
  const providerIds = new Map<string, string>();
  let results: Part[] | undefined;
  // A turn begins with what the user says; results of tools belong to the turn that asked for them.
  const turnStart = needsSignature(model) ? messages.findLastIndex(isSaidByUser) : messages.length;
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

function isSaidByUser({ role }: ConversationMessage): boolean {
  return role === "user";
}

/** Only the first of parallel calls has a signature, and only its absence is refused. */
function signFirstCall(parts: readonly Part[]): void {
  const first = parts.find((part) => part.functionCall !== undefined);
  if (first !== undefined) first.thoughtSignature ??= PLACEHOLDER_SIGNATURE;
}

/** Rebuilds the parts the model sent; text that was changed since is sent in one piece, without its signatures. */
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
    name: encodeToolName(call.name),
    args: parseJsonObject(call.arguments) ?? {},
    ...(providerId === undefined ? {} : { id: providerId }),
  };
}

function functionResponse(message: ConversationMessage, providerIds: ReadonlyMap<string, string>): Part {
  const id = providerIds.get(message.toolCallId);
  return {
    functionResponse: {
      name: encodeToolName(message.toolName),
      response: responseObject(message.content),
      ...(id === undefined ? {} : { id }),
    },
  };
}

function responseObject(content: string): Record<string, unknown> {
  if (content.trim() === "") return {};
  // JavaScript would round longer numbers, and an id that is off by one misleads an investigation.
  if (/\d{16}/u.test(content)) return { text: content };
  const value = parseJson(content);
  if (value === undefined) return { text: content };
  return isObject(value) ? value : { result: value };
}
