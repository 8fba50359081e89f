import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { requireKey } from "#shared/agent-config/checks/check-mcp-servers.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";
import type { ChainEntry, ChatEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** More at once is a slip of the pen, and every one is an execution with rows of its own. */
const MAX_STAGE_EXECUTIONS = 100;

/** Checks a written chain: what its stages, chat and alert types refer to. */
export function checkChain(chain: Loose<ChainEntry>, context: CheckContext): void {
  checkProvider(chain, chain.llm_provider, context);
  checkServers(chain.mcp_servers, context);
  for (const stage of chain.stages ?? []) checkStage(stage, context);
  if (chain.chat !== undefined) checkChat(chain.chat, context);
}

/** Every server id of a list must be known. */
export function checkServers(servers: string[] | undefined, context: CheckContext): void {
  servers?.forEach((server, key) => {
    context.reporter.unknownName({ container: servers, key }, "MCP server", server, context.names.mcpServers);
  });
}

function checkStage(stage: Loose<StageEntry>, context: CheckContext): void {
  const { reporter, names } = context;
  checkServers(stage.mcp_servers, context);
  for (const agent of stage.agents ?? []) {
    reporter.unknownName({ container: agent, key: "name" }, "agent", agent.name, names.agents);
    checkProvider(agent, agent.llm_provider, context);
    checkServers(agent.mcp_servers, context);
  }
  if (stage.replicas === 0) reporter.warn({ container: stage, key: "replicas" }, "of 0 means 1");
  const executions = (stage.agents?.length ?? 0) * (stage.replicas ?? 1);
  if (executions > MAX_STAGE_EXECUTIONS) {
    const target = { container: stage, key: stage.replicas === undefined ? "agents" : "replicas" };
    reporter.error(
      target,
      `makes ${executions} executions of one stage; at most ${MAX_STAGE_EXECUTIONS} are allowed`,
    );
  }
  const { synthesis } = stage;
  if (synthesis === undefined) return;
  reporter.unknownName({ container: synthesis, key: "agent" }, "agent", synthesis.agent, names.agents);
  checkProvider(synthesis, synthesis.llm_provider, context);
}

function checkChat(chat: Loose<ChatEntry>, context: CheckContext): void {
  const { reporter, names } = context;
  if (chat.enabled === true) requireKey(chat, "agent", "is required when chat is enabled", reporter);
  reporter.unknownName({ container: chat, key: "agent" }, "agent", chat.agent, names.agents);
  checkProvider(chat, chat.llm_provider, context);
  checkServers(chat.mcp_servers, context);
}

function checkProvider(container: object, name: string | undefined, context: CheckContext): void {
  const target = { container, key: "llm_provider" };
  context.reporter.unknownName(target, "LLM provider", name, context.names.llmProviders);
}
