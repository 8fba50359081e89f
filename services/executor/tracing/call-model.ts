import { capturesContent, inSpan, type SpanAttributes } from "#shared/telemetry/tracing.ts";
import { callLlm } from "../llm/call-llm.ts";
import { maskReply } from "../llm/mask-reply.ts";
import type { LlmOutcome, LlmReply } from "../llm/llm-reply.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import { contentMask, type ContentMasking } from "./masked-content.ts";
import { inputMessages, outputMessages } from "./message-parts.ts";
import { providerName } from "./provider-name.ts";

type Caller = Parameters<typeof callLlm>[0] & ContentMasking;
type Call = Parameters<typeof callLlm>[1] & {
  /** The conversation without the values of variables, for traces with content. */
  readonly shown: readonly AppendedMessage[];
};

/** `callLlm` in a span of its own, named and described as OpenTelemetry's conventions for generative AI say. */
export async function callModel(session: Caller, call: Call): ReturnType<typeof callLlm> {
  const { shown, ...options } = call;
  const { llmConfig, executionId } = options.request;
  const model = llmConfig?.model ?? "";
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerName(llmConfig?.providerType ?? ""),
    "gen_ai.request.model": model,
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": llmConfig?.maxOutputTokens === 0 ? undefined : llmConfig?.maxOutputTokens,
    "gen_ai.conversation.id": session.sessionId,
    "tarsy.execution.id": executionId,
    "tarsy.llm.provider": llmConfig?.providerName,
  };
  return inSpan(`chat ${model}`, { kind: "client", attributes }, async (span) => {
    const { reply, lostCalls } = await callLlm(session, options);
    // Before it is recorded, told to other sessions or logged.
    const final = { reply: await maskReply(session.masker, reply), lostCalls };
    span.set(replyAttributes(final.reply, final.lostCalls - (options.lostCalls ?? 0)));
    const failure = errorType(final.reply.outcome);
    if (failure !== undefined) span.fail(failure);
    if (capturesContent()) span.setLater(contentOf(session, shown, final.reply));
    return final;
  });
}

function replyAttributes({ usage }: LlmReply, lostCalls: number): SpanAttributes {
  return {
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    // The conventions count reasoning as output; we count it beside the output.
    "gen_ai.usage.output_tokens": usage === null ? undefined : usage.outputTokens + usage.thinkingTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.thinkingTokens || undefined,
    "tarsy.llm.lost_calls": lostCalls === 0 ? undefined : lostCalls,
  };
}

function errorType(outcome: LlmOutcome): string | undefined {
  if (outcome.kind === "completed") return undefined;
  return outcome.kind === "failed" ? outcome.code : outcome.kind;
}

async function contentOf(
  session: ContentMasking,
  shown: readonly AppendedMessage[],
  reply: LlmReply,
): Promise<SpanAttributes> {
  const mask = contentMask(session);
  return {
    "gen_ai.input.messages": await inputMessages(shown, mask),
    "gen_ai.output.messages": await outputMessages(reply, mask),
  };
}
