/** What an investigation must deliver; the last block of the user message. */
export const TASK_BLOCK = `## Your Task

Investigate the alert and answer in Markdown, with:
1. **Root cause**: what caused it, how sure you are, and the evidence
2. **Current state**: what is affected now, and how badly
3. **Remediation**: the steps a human operator should take, in order, the safest first; mark those that interrupt or destroy something
4. **Prevention**: what would keep this from happening again

Be thorough: follow each lead until the data confirms it or rules it out. Name what you could not find out.`;
