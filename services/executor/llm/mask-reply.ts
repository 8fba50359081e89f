import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { LlmOutcome, LlmReply } from "./llm-reply.ts";

/**
 * A reply with what a provider says beside its model masked: errors, warnings, and the code, output and sources of its own tools. Errors
 * may repeat what a server of the provider knows, and are shared by sessions, so placeholders have no digits. What the model says stays.
 * Never throws: a text whose masking fails is withheld.
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
