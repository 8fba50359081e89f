import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveMemory } from "#shared/agent-config/resolve-memory.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoringChain } from "#shared/contracts/scoring-chain.ts";
import { judgeOf } from "../scores/judge-of.ts";

/** The agent that learns, as it is named in the session. */
const AGENT = "MemoryExtraction";

/** The session's chain with the model that judges investigations today; null if none is configured. */
export function extractionChain(agents: AgentConfig, stored: ResolvedChain): ResolvedChain | null {
  const judge = judgeOf(agents, stored);
  if (typeof judge === "string") return null;
  return scoringChain(
    { ...stored, memory: resolveMemory(agents) },
    { ...judge, name: AGENT, iteration_strategy: "memory-extraction", custom_instructions: "" },
  );
}
