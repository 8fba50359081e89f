import type { AppendedMessage } from "../persist/conversation.ts";
import type { LlmReply } from "../llm/llm-reply.ts";
import { MASKING_PATTERNS } from "#shared/masking/patterns/built-in-patterns.ts";
import type { SessionMasker } from "../core/session-parts.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** A part of a message in the form of OpenTelemetry's conventions for generative AI. */
type TracedPart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: string };

interface ShownMessage {
  readonly role: string;
  readonly parts: readonly TracedPart[];
}

type Mask = (text: string) => Promise<string>;

/** The most text of all messages of one attribute, in UTF-16 code units; the newest messages are kept. */
const MAX_CHARS = 48_000;
const LEFT_OUT = { role: "system", parts: [{ type: "text", content: "[earlier messages are left out]" }] };

/** `gen_ai.input.messages`: the newest messages that fit, as JSON, every text masked. Rejects if masking fails. */
export async function inputMessages(messages: readonly AppendedMessage[], mask: Mask): Promise<string> {
  const shown: string[] = [];
  let chars = 0;
  for (const message of messages.toReversed()) {
    const text = JSON.stringify({ role: message.role, parts: await partsOf(message, mask) });
    chars += text.length;
    if (chars > MAX_CHARS) {
      shown.unshift(JSON.stringify(LEFT_OUT));
      break;
    }
    shown.unshift(text);
  }
  return `[${shown.join(",")}]`;
}

/** `gen_ai.output.messages`: the reply as JSON, every text masked. Rejects if masking fails. */
export async function outputMessages(reply: LlmReply, mask: Mask): Promise<string> {
  const parts: TracedPart[] = [];
  if (reply.thinking !== "") parts.push({ type: "reasoning", content: await mask(reply.thinking) });
  if (reply.text !== "") parts.push({ type: "text", content: await mask(reply.text) });
  for (const { callId, name, arguments: args } of reply.toolCalls) {
    parts.push({ type: "tool_call", id: callId, name: await mask(name), arguments: await mask(args) });
  }
  const message: ShownMessage & { readonly finish_reason: string } = {
    role: "assistant",
    parts,
    finish_reason:
      reply.toolCalls.length > 0 ? "tool_call" : reply.outcome.kind === "completed" ? "stop" : "error",
  };
  return JSON.stringify([message]);
}

async function partsOf(message: AppendedMessage, mask: Mask): Promise<readonly TracedPart[]> {
  const content = await mask(message.content);
  if (message.role === "tool") {
    return [{ type: "tool_call_response", id: message.tool_call_id ?? "", response: content }];
  }
  const calls: TracedPart[] = [];
  for (const { id, name, arguments: args } of message.tool_calls ?? []) {
    calls.push({ type: "tool_call", id, name: await mask(name), arguments: await mask(args) });
  }
  return [...(content === "" ? [] : [{ type: "text", content } as const]), ...calls];
}

/** The most of one text, in UTF-16 code units; it is masked as a whole first. */
const MAX_PART = 8_192;
const CUT = "… [cut]";

/**
 * Returns a function that masks a text for a span: with every pattern there is, those of all servers and the process's secrets,
 * even where the configuration switches masking off, because traces leave the system. Alerts and results are masked before, with
 * what else is known of their secrets. The function rejects if masking fails; the text must then be left out.
 */
export function contentMask({ masker, rules: ofServers }: SessionMasker): (text: string) => Promise<string> {
  const custom = [...ofServers.values()].flatMap((rules) => rules.custom);
  const rules: MaskingRules = { enabled: true, patterns: MASKING_PATTERNS, custom };
  return async (text) => {
    const masked = (await masker.mask(text, { rules })).text;
    return masked.length <= MAX_PART ? masked : masked.slice(0, safeCut(masked, MAX_PART)) + CUT;
  };
}
