import { isActionAgent, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { ACTION_TASK_BLOCK } from "./action-rules.ts";

/** The last block of the user message: what an agent must deliver. */
export function taskBlock(agent: Pick<ResolvedAgent, "type">): string {
  return isActionAgent(agent) ? ACTION_TASK_BLOCK : TASK_BLOCK;
}

/** The answer that an investigation must deliver. */
const TASK_BLOCK = `## Your Task

Investigate the alert and answer in Markdown, with:
1. **Root cause**: what caused it, how sure you are, and the evidence
2. **Current state**: what is affected now, and how badly
3. **Remediation**: the steps a human operator should take, in order, the safest first; mark those that interrupt or destroy something
4. **Prevention**: what would keep this from happening again

Be thorough: follow each lead until the data confirms it or rules it out. Name what you could not find out.`;
