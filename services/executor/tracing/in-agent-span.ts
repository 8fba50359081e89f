import { inSpan, type Span } from "#shared/telemetry/tracing.ts";
import type { AgentRun, RunExecutions } from "../next-session-step.ts";
import type { AgentWait } from "../core/wait.ts";
import { providerName } from "./provider-name.ts";

/** Runs an agent in a span of its own, named and described as OpenTelemetry's conventions for generative AI say. */
export async function inAgentSpan(
  sessionId: string,
  { execution, agent, stage }: AgentRun & Pick<RunExecutions, "stage">,
  work: (span: Span) => Promise<AgentWait | null>,
): Promise<AgentWait | null> {
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": execution.agent_name,
    "gen_ai.agent.id": execution.execution_id,
    "gen_ai.conversation.id": sessionId,
    "gen_ai.provider.name": providerName(agent.llm_provider.type),
    "gen_ai.request.model": agent.llm_provider.model,
    "tarsy.stage.name": stage.row.stage_name,
  };
  return inSpan(`invoke_agent ${execution.agent_name}`, { attributes }, async (span) => {
    const wait = await work(span);
    if (wait !== null) span.set({ "tarsy.waiting_for": wait.kind });
    return wait;
  });
}
