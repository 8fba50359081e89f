import {
  ConverseStreamCommand,
  type BedrockRuntimeClient,
  type ConverseStreamOutput,
  type ToolConfiguration,
} from "@aws-sdk/client-bedrock-runtime";
import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import type { ErrorContext } from "../../../errors/provider-failure.ts";
import { claudeSettings } from "../models/claude-settings.ts";
import { currentAside } from "../answer-aside.ts";
import type { ChatAddress, ChatModel } from "../models/chat-model.ts";
import { mayThink } from "../request/anthropic-messages.ts";
import { anthropicTools, placeholderTools } from "../request/langchain-tools.ts";
import { bedrockChunks } from "./bedrock-chunks.ts";
import { bedrockMessages, documentOf } from "./bedrock-messages.ts";
import { translateBedrockError } from "./translate-bedrock-error.ts";

/** A model behind Bedrock's Converse; only Claude is asked to think. */
export function openBedrock(
  { model, maxOutputTokens }: Pick<ChatAddress, "model" | "maxOutputTokens">,
  client: BedrockRuntimeClient,
  context: ErrorContext,
): ChatModel {
  const claude = claudeSettings(model, maxOutputTokens);
  const { thinking } = claude;
  const maxTokens = /claude/iu.test(model) ? claude.maxTokens : maxOutputTokens;
  return {
    prepare: ({ conversation, tools, plain }) => {
      const isThinking = !plain && thinking !== undefined && mayThink(conversation, model);
      const { system } = conversation;
      const toolConfig = toolConfiguration(tools, conversation);
      const command = new ConverseStreamCommand({
        modelId: model,
        messages: bedrockMessages(conversation, { model, thinking: isThinking }),
        ...(system === undefined ? {} : { system: [{ text: system }] }),
        ...(maxTokens === undefined ? {} : { inferenceConfig: { maxTokens } }),
        ...(isThinking ? { additionalModelRequestFields: documentOf({ thinking }) } : {}),
        ...(toolConfig === undefined ? {} : { toolConfig }),
      });
      return {
        state: { provider: "anthropic", model, thinking: isThinking },
        stream: (signal) => Promise.resolve(stream(client, command, context, signal)),
      };
    },
  };
}

async function* stream(
  client: BedrockRuntimeClient,
  command: ConverseStreamCommand,
  context: ErrorContext,
  abortSignal: AbortSignal,
): AsyncGenerator {
  const aside = currentAside();
  try {
    const { stream: events = noEvents() } = await client.send(command, { abortSignal });
    yield* bedrockChunks(events, aside);
  } catch (error) {
    throw translateBedrockError(error, context);
  }
}

async function* noEvents(): AsyncGenerator<ConverseStreamOutput> {
  // A response without a body.
}

/** Converse requires tools if the conversation has used some. */
function toolConfiguration(
  tools: readonly ToolDefinition[],
  conversation: Conversation,
): ToolConfiguration | undefined {
  const bound = tools.length === 0 ? placeholderTools(conversation) : anthropicTools(tools);
  if (bound.length === 0) return undefined;
  return {
    tools: bound.map(({ name, description, input_schema: schema }) => ({
      toolSpec: {
        name,
        ...(description === "" ? {} : { description }),
        inputSchema: { json: documentOf(schema) },
      },
    })),
  };
}
