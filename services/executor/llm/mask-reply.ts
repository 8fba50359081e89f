import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { RULES_OF_NAMES, rulesOfServer } from "#shared/masking/masking-rules.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { LlmOutcome, LlmReply } from "./llm-reply.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { errorMessage } from "#shared/errors.ts";
import type { SessionMasker } from "../core/session-parts.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { CallLlm } from "../core/agent-state.ts";
import { parseReact } from "../react-parser/parse-react.ts";

/**
 * A reply whose texts of the provider, as opposed to those of its model, are masked: errors, warnings, and the code,
 * output and sources of its own tools, and the name of the model. Errors may repeat what a server of the provider knows, and are shared by
 * sessions, so placeholders have no digits. The model's text stays. Never throws: a text whose masking fails is
 * withheld.
 */
export async function maskReply<R extends LlmReply>(masker: Pick<Masker, "mask">, reply: R): Promise<R> {
  const mask = async (text: string) => maskOrWithhold(masker, text, rulesOfServer());
  const each = async <T>(items: readonly T[], masked: (item: T) => Promise<T>): Promise<T[]> => {
    const all: T[] = [];
    for (const item of items) all.push(await masked(item));
    return all;
  };
  return {
    ...reply,
    outcome: await maskOutcome(reply.outcome, mask),
    answeredBy:
      reply.answeredBy === null ? null : await maskOrWithhold(masker, reply.answeredBy, RULES_OF_NAMES),
    warnings: await each(reply.warnings, async ({ code, message }) => ({
      code,
      message: await mask(message),
    })),
    codeExecutions: await each(reply.codeExecutions, async (one) => ({
      ...one,
      code: await mask(one.code),
      result: await mask(one.result),
    })),
    groundings: await each(reply.groundings, async (one) => ({
      ...one,
      webSearchQueries: await each(one.webSearchQueries, mask),
      groundingChunks: await each(one.groundingChunks, async (chunk) => ({
        ...chunk,
        uri: await mask(chunk.uri),
        title: await mask(chunk.title),
      })),
      groundingSupports: await each(one.groundingSupports, async (support) => ({
        ...support,
        text: await mask(support.text),
      })),
    })),
  };
}

async function maskOutcome(
  outcome: LlmOutcome,
  mask: (text: string) => Promise<string>,
): Promise<LlmOutcome> {
  if (outcome.kind === "completed") return outcome;
  const message = await mask(outcome.message);
  if (outcome.kind === "failed") return { ...outcome, message };
  return { ...outcome, message, reason: await mask(outcome.reason) };
}

/** Replaces arguments whose masking failed; still JSON. */
const WITHHELD = '{"withheld":"masking the secrets in these arguments failed"}';

interface MaskingDeps {
  readonly masking: SessionMasker;
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
  { masking: { masker, rules: ofServers }, log }: MaskingDeps,
  { style }: Pick<CallLlm, "style">,
  reply: LlmReply,
  key: string | undefined,
): Promise<MaskedReply> {
  const written = new Map<number, string>();
  const values: MaskedValue[] = [];
  const mask = async (index: number, name: string, text: string): Promise<string> => {
    if (text === "") return text;
    const rules = ofServers.get(name.slice(0, Math.max(0, name.indexOf(".")))) ?? rulesOfServer();
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
