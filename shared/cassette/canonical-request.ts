import { createHash } from "node:crypto";
import { CanonicalTexts } from "#shared/cassette/canonical-texts.ts";
import type { BoundTool, ModelSettings } from "#shared/cassette/recorded-calls.ts";
import { withoutContextBlocks } from "#shared/contracts/context-block.ts";
import { isJsonObject } from "#shared/json-object.ts";

interface RequestMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
}

/** The content that a call sends to a model, from rows, from a cassette or from a `GenerateRequest`. */
export interface RequestContent {
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly BoundTool[];
  readonly model: ModelSettings;
}

/** The session whose request it is. */
interface RequestOwner {
  readonly sessionId: string;
  /** The nonce of its prompts; null for a cassette. */
  readonly nonce: string | null;
}

interface CanonicalMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
}

/** A request without what differs between two runs of the same session; JSON pointers of divergences refer to it. */
export interface CanonicalRequest {
  readonly messages: readonly CanonicalMessage[];
  readonly model: ModelSettings;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: unknown;
  }[];
}

/**
 * The canonical form of a request: messages, bound tools and settings of the model. Ids, the nonce of frames, the digits of masked
 * values and values of variables are normalised (`CanonicalTexts`); what agents get of the
 * present time, state of the provider, the session's ids and the hash of the provider's entry are left out. Arguments stay text as the
 * model wrote it; a tool's schema is read as JSON.
 */
export function canonicalRequest(
  { messages, tools, model }: RequestContent,
  { sessionId, nonce }: RequestOwner,
): CanonicalRequest {
  const texts = new CanonicalTexts(sessionId, nonce);
  return {
    messages: messages.map((message) => canonicalMessage(message, texts)),
    model,
    tools: tools.map(({ name, description, parameters_schema }) => ({
      name,
      description,
      parameters: parsedSchema(parameters_schema),
    })),
  };
}

function canonicalMessage(
  { role, content, tool_calls = [], tool_call_id = "", tool_name = "" }: RequestMessage,
  texts: CanonicalTexts,
): CanonicalMessage {
  const text = texts.text(role === "user" ? withoutContextBlocks(content) : content);
  const calls = tool_calls.map((call) => ({
    id: texts.callId(call.id),
    name: call.name,
    arguments: texts.text(call.arguments),
  }));
  return {
    role,
    content: text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(tool_call_id === "" ? {} : { tool_call_id: texts.callId(tool_call_id) }),
    ...(tool_name === "" ? {} : { tool_name }),
  };
}

function parsedSchema(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text; // a server may offer a schema that is none
  }
}

/** SHA-256 in hex over the canonical request as stable JSON. */
export function hashRequest(request: CanonicalRequest): string {
  return createHash("sha256").update(stableJson(request)).digest("hex");
}

/** JSON text in which the members of every object are sorted by name, so that equal values give equal texts. */
function stableJson(value: unknown): string {
  return (
    JSON.stringify(value, (_name, member: unknown) => (isJsonObject(member) ? sorted(member) : member)) ??
    "null"
  );
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(record);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
}
