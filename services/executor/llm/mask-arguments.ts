import type { Masker } from "#shared/masking/masker.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { CallLlm } from "../core/agent-state.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import type { LlmReply } from "./llm-reply.ts";

/** Replaces arguments whose masking failed; still JSON. */
const WITHHELD = '{"withheld":"masking the secrets in these arguments failed"}';

interface MaskingDeps {
  readonly masker: Pick<Masker, "mask">;
  /** By server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  readonly log: Logger;
}

/** A reply as it may be stored. */
interface MaskedReply {
  readonly reply: LlmReply;
  /** The arguments that masking has changed, as the model wrote them, by the call's index. */
  readonly written: ReadonlyMap<number, string>;
  readonly values: readonly MaskedValue[];
}

/**
 * Masks the arguments of the calls that a reply asks for. The calls are made with what the model wrote, but that is never
 * stored: a model gets secrets with its instructions, or makes them up. State of the provider would repeat the arguments,
 * so it is left out where they were changed. Never throws: arguments whose masking fails are withheld.
 */
export async function maskArguments(
  { masker, maskingRules, log }: MaskingDeps,
  { style }: Pick<CallLlm, "style">,
  reply: LlmReply,
  key: string | undefined,
): Promise<MaskedReply> {
  const written = new Map<number, string>();
  const values: MaskedValue[] = [];
  const mask = async (index: number, name: string, text: string): Promise<string> => {
    if (text === "") return text;
    const rules = maskingRules.get(name.slice(0, Math.max(0, name.indexOf(".")))) ?? rulesOfServer();
    try {
      const masked = await masker.mask(text, { rules, key });
      if (masked.text !== text) written.set(index, text);
      values.push(...masked.values);
      return masked.text;
    } catch (error) {
      log.error({ tool: name, error: errorMessage(error) }, "tool arguments withheld");
      written.set(index, text);
      return WITHHELD;
    }
  };
  if (style === "react") {
    const { hasAction, action, actionInput } = parseReact(reply.text);
    const input = hasAction ? await mask(0, action, actionInput) : actionInput;
    if (written.size === 0) return { reply, written, values };
    const text = reply.text.replaceAll("\r\n", "\n").replaceAll(actionInput, () => input);
    return { reply: { ...reply, text, providerState: null }, written, values };
  }
  const toolCalls = [];
  for (const [index, call] of reply.toolCalls.entries()) {
    toolCalls.push({ ...call, arguments: await mask(index, call.name, call.arguments) });
  }
  if (written.size === 0) return { reply, written, values };
  return { reply: { ...reply, toolCalls, providerState: null }, written, values };
}
