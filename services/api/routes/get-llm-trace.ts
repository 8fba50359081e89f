import type { RouterMiddleware } from "@koa/router";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain, type ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { LlmInteractionEntity, type LlmInteraction } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity, type Message } from "#shared/database/entities/message.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import type { ApiDeps } from "../api-deps.ts";
import { notFound, validationError } from "../http/request-error.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "./session-view.ts";

const parseRequest = compileParser(
  "recorded request",
  Type.Object(
    {
      tools_count: Type.Optional(Type.Integer()),
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
  Type.Array(Type.Object({}, { additionalProperties: true })),
);

/** As prompts are stored: with a code that only the executor needs. */
const PLACEHOLDER = /\{\{\.(\w+):[0-9a-f]{24}\}\}/gu;

/**
 * `GET /api/v1/sessions/:id/trace/llm/:interaction`: one LLM call with its complete input, rebuilt from rows: the messages
 * sent to the model, with the names of inserted variables instead of their values, the bound tools and the model's settings.
 */
export function getLlmTrace({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const interaction_id = ctx.params["interaction"] ?? "";
    if (!isUuid(interaction_id)) throw validationError("interaction_id", "must be a UUID");
    const { session_id } = await visibleSession(db, ctx);
    const interaction = await orm.manager.findOneBy(LlmInteractionEntity, { session_id, interaction_id });
    if (interaction === null) throw notFound();
    ctx.body = {
      ...withoutNulls(interaction),
      conversation: await readConversation(orm.manager, interaction),
      tools: await readBoundTools(orm.manager, interaction),
      llm_provider: await readProvider(orm.manager, interaction),
    };
  };
}

/** The messages of the call itself where they are recorded, else those of its execution up to the last one sent. */
async function readConversation(
  manager: EntityManager,
  interaction: LlmInteraction,
): Promise<readonly object[]> {
  const recorded = parseRequest(interaction.llm_request).messages;
  if (recorded !== undefined) return recorded;
  const messages = await manager.find(MessageEntity, {
    where: { execution_id: interaction.execution_id },
    order: { sequence_number: "ASC" },
  });
  const last = messages.findIndex(({ message_id }) => message_id === interaction.last_message_id);
  return messages.slice(0, last + 1).map(messageView);
}

/** The tools listed for the execution; none if the call was made without tools. */
async function readBoundTools(
  manager: EntityManager,
  { execution_id, llm_request }: LlmInteraction,
): Promise<object[]> {
  if ((parseRequest(llm_request).tools_count ?? 0) === 0) return [];
  const listings = await manager.findBy(McpInteractionEntity, {
    execution_id,
    interaction_type: "tool_list",
  });
  return listings.flatMap(({ available_tools }) => parseTools(available_tools ?? []));
}

async function readProvider(
  manager: EntityManager,
  { session_id, stage_id, execution_id, llm_request }: LlmInteraction,
): Promise<ResolvedProvider | undefined> {
  const [session, stage, execution] = await Promise.all([
    manager.findOneByOrFail(AlertSessionEntity, { session_id }),
    manager.findOneByOrFail(StageEntity, { stage_id }),
    manager.findOneByOrFail(AgentExecutionEntity, { execution_id }),
  ]);
  const plan = parseResolvedChain(session.resolved_config).stages[stage.stage_index];
  // The execution after a stage's agents is its synthesis.
  const agents = [...(plan?.agents ?? []), ...(plan?.synthesis === undefined ? [] : [plan.synthesis])];
  const agent = agents[execution.agent_index - 1];
  const { provider: called } = parseRequest(llm_request);
  return agent?.fallback_providers?.find(({ name }) => name === called) ?? agent?.llm_provider;
}

function messageView({
  provider_state,
  role,
  content,
  tool_calls,
  tool_call_id,
  tool_name,
}: Message): object {
  return withoutNulls({
    role,
    content: content.replaceAll(PLACEHOLDER, "{{.$1}}"),
    tool_calls,
    tool_call_id,
    tool_name,
    provider_state: provider_state?.toString("base64") ?? null,
  });
}
