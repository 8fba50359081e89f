import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain, type ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import {
  AgentExecutionEntity,
  AlertSessionEntity,
  McpInteractionEntity,
  MessageEntity,
  StageEntity,
  TimelineEventEntity,
} from "#shared/database/entities.ts";
import { readConfig } from "#shared/database/resolved-configs.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import { interactionView, withShownStage } from "./trace-view.ts";
import { withoutNulls } from "../http/without-nulls.ts";

const parseRequest = compileParser(
  "recorded request",
  Type.Object(
    {
      tools_count: Type.Optional(Type.Integer()),
      /** The names of the bound tools; absent if all were. */
      tools: Type.Optional(Type.Array(Type.String())),
      /** The name of the provider that was called. */
      provider: Type.Optional(Type.String()),
      messages: Type.Optional(
        Type.Array(
          Type.Object({ role: Type.String(), content: Type.String() }, { additionalProperties: true }),
        ),
      ),
    },
    { additionalProperties: true },
  ),
);
const parseTools = compileParser(
  "recorded listing",
  Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
);

/** As prompts are stored: with a code that only the executor needs. */
const PLACEHOLDER = /\{\{\.(\w+):[0-9a-f]{24}\}\}/gu;

/**
 * One LLM call with its complete input, rebuilt from rows: the messages sent to the model and its answer, with the names of inserted
 * variables instead of their values, the bound tools and the model's settings.
 */
export async function readLlmCall(manager: EntityManager, interaction: LlmInteraction) {
  const provider = await readProvider(manager, interaction);
  return {
    ...interactionView(await withShownStage(manager, interaction)),
    conversation: await readConversation(manager, interaction),
    tools: await readBoundTools(manager, interaction),
    ...(provider === undefined ? {} : { llm_provider: provider }),
  };
}

/** The entries that are answers to calls whose messages are not stored. */
const ANSWERS = ["executive_summary", "mcp_tool_summary"] as const;

/**
 * The messages of the call itself where they are recorded, else those of its execution up to the last one sent; then the
 * answer, if there was one.
 */
async function readConversation(manager: EntityManager, interaction: LlmInteraction) {
  const recorded = parseRequest(interaction.llm_request).messages;
  if (recorded !== undefined) {
    const sent = recorded.map((message) => ({ ...message, content: withNames(message.content) }));
    const { interaction_id: llm_interaction_id } = interaction;
    const answer = await manager.findOneBy(
      TimelineEventEntity,
      ANSWERS.map((event_type) => ({ llm_interaction_id, event_type, status: "completed" })),
    );
    return answer === null ? sent : [...sent, { role: "assistant", content: answer.content }];
  }
  const messages = await manager.find(MessageEntity, {
    where: { execution_id: interaction.execution_id },
    order: { sequence_number: "ASC" },
  });
  const last = messages.findIndex(({ message_id }) => message_id === interaction.last_message_id);
  const answer = messages[last + 1];
  const hasAnswer = interaction.error_message === null && answer?.role === "assistant";
  return messages.slice(0, last + (hasAnswer ? 2 : 1)).map(messageView);
}

/** The tools listed for the execution, or those of them that were bound; none if the call was made without tools. */
async function readBoundTools(
  manager: EntityManager,
  { execution_id, llm_request }: LlmInteraction,
): Promise<object[]> {
  const { tools_count: count = 0, tools: names } = parseRequest(llm_request);
  if (count === 0) return [];
  const listings = await manager.findBy(McpInteractionEntity, {
    execution_id,
    interaction_type: "tool_list",
  });
  const tools = listings.flatMap(({ available_tools }) => parseTools(available_tools ?? []));
  return tools.filter(({ name }) => names?.includes(name) !== false);
}

async function readProvider(
  manager: EntityManager,
  { session_id, stage_id, execution_id, llm_request }: LlmInteraction,
): Promise<ResolvedProvider | undefined> {
  const session = await manager.findOneByOrFail(AlertSessionEntity, { session_id });
  const stage = await manager.findOneByOrFail(StageEntity, { stage_id });
  const execution = await manager.findOneByOrFail(AgentExecutionEntity, { execution_id });
  const chain = parseResolvedChain(await readConfig(manager, session.config_hash));
  const plan = chain.stages[stage.stage_index - 1];
  // The execution after a stage's agents is its synthesis.
  const agents = [...(plan?.agents ?? []), ...(plan?.synthesis === undefined ? [] : [plan.synthesis])];
  // The index of a sub-agent counts below its parent.
  const agent = execution.parent_execution_id === null ? agents[execution.agent_index - 1] : undefined;
  const { provider: called } = parseRequest(llm_request);
  const { executive_summary: summary } = chain;
  const others = [
    ...(agent?.fallback_providers ?? []),
    ...(summary === undefined ? [] : [summary.llm_provider, ...(summary.fallback_providers ?? [])]),
    ...Object.values(chain.mcp_server_summaries ?? {}).flatMap(({ llm_provider }) => llm_provider ?? []),
  ];
  return others.find(({ name }) => name === called) ?? agent?.llm_provider;
}

/** The text with the names of inserted variables. */
function withNames(text: string): string {
  return text.replaceAll(PLACEHOLDER, "{{.$1}}");
}

function messageView({ provider_state, role, content, tool_calls, tool_call_id, tool_name }: Message) {
  return withoutNulls({
    role,
    content: withNames(content),
    tool_calls,
    tool_call_id,
    tool_name,
    provider_state: provider_state?.toString("base64") ?? null,
  });
}
