import { capturesContent, inSpan, type SpanAttributes, type Span } from "#shared/telemetry/tracing.ts";
import type { MadeCall } from "../tools/calls-ahead.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { SessionMasker } from "../core/session-parts.ts";
import { contentMask } from "./message-parts.ts";
import type { AgentRun, RunExecutions } from "../next-session-step.ts";
import type { AgentWait } from "../core/wait.ts";
import type { ProviderType } from "#shared/contracts/resolved-chain.ts";

interface TracedCall {
  readonly callId: string;
  /** As the agent's listing or a built-in tool has it; undefined for a name that the model made up. */
  readonly knownName: string | undefined;
  /** As the model wrote them. */
  readonly arguments: string;
}

/** Makes a tool call in a span of its own, named and described as OpenTelemetry's conventions for generative AI say. */
export async function inToolSpan(
  { sessionId, masking }: { readonly sessionId: string; readonly masking: SessionMasker },
  { callId, knownName, arguments: args }: TracedCall,
  make: () => Promise<MadeCall>,
): Promise<MadeCall> {
  // Names that models make up would have no end.
  const name = knownName ?? "unknown";
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callId,
    "gen_ai.conversation.id": sessionId,
  };
  return inSpan(`execute_tool ${name}`, { attributes }, async (span) => {
    const made = await make();
    const failure = errorType(made.outcome);
    if (failure !== undefined) span.fail(failure);
    if (capturesContent()) span.setLater(contentOf(masking, args, made.outcome));
    return made;
  });
}

function errorType(outcome: ToolOutcome): string | undefined {
  if (outcome.kind === "result") return outcome.isError ? "tool_error" : undefined;
  if (outcome.kind !== "exception") return outcome.kind;
  return outcome.isTimeout ? "timeout" : "exception";
}

async function contentOf(
  masking: SessionMasker,
  args: string,
  outcome: ToolOutcome,
): Promise<SpanAttributes> {
  const mask = contentMask(masking);
  const shown = outcome.kind === "result" ? outcome.content : outcome.message;
  return { "gen_ai.tool.call.arguments": await mask(args), "gen_ai.tool.call.result": await mask(shown) };
}

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

/** The names of provider types in OpenTelemetry's conventions; types that the conventions do not know keep our name. */
const NAMES: Readonly<Record<ProviderType, string>> = {
  google: "gcp.gemini",
  vertexai: "gcp.vertex_ai",
  openai: "openai",
  anthropic: "anthropic",
  xai: "x_ai",
  mistral: "mistral_ai",
  groq: "groq",
  openrouter: "openrouter",
  deepseek: "deepseek",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  scripted: "scripted",
};
const NAME_OF = new Map<string, string>(Object.entries(NAMES));

/** The value of `gen_ai.provider.name` for a provider of this type. */
export function providerName(type: string): string {
  return NAME_OF.get(type) ?? type;
}
