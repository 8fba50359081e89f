import { type ToolDescription, markedDescription } from "#shared/contracts/tool-list.ts";
import { toolParameters } from "./tool-parameters.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { frame, oneLine } from "./untrusted-text.ts";

/**
 * The tools of a ReAct agent, numbered in the order given. The tool servers' descriptions are untrusted: they are
 * written on one line each and cannot close the frame.
 */
export function toolsBlock(tools: readonly ToolDescription[], nonce: SessionNonce): string {
  const list = tools.map((tool, index) =>
    [
      `${index + 1}. **${oneLine(tool.name)}**: ${oneLine(markedDescription(tool))}`.trimEnd(),
      ...parameterLines(tool.parameters_schema),
    ].join("\n"),
  );
  return `Answer the task below with the help of these tools. Call a tool by its full name, and only those listed. Each description says what the tool's server claims about it.

Available tools:

${frame(nonce, "TOOLS", list.join("\n\n"))}`;
}

function parameterLines(schema: string): string[] {
  const parameters = toolParameters(schema);
  if (parameters.length === 0) return ["    **Parameters**: None"];
  return ["    **Parameters**:", ...parameters.map((line) => `    ${line}`)];
}
