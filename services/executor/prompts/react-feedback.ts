import { escapeMarkers } from "#shared/contracts/prompt-marks.ts";
import type { ParsedReact } from "../react-parser/parse-react.ts";
import { type SessionNonce, frame, oneLine, untrustedText } from "./untrusted-text.ts";

/** A tool in the list for the model. */
interface PromptTool {
  readonly name: string;
  readonly description: string;
}

const REMINDER = `Keep to the format:
- write each section's name with a colon and start each section on a new line;
- stop right after the Action Input; its result comes to you as an Observation, never write one yourself;
- every reply holds either one tool call (Action and Action Input) or a Final Answer.

To investigate:
Thought: what you need to know next, and why
Action: server.tool
Action Input: parameter: value

With a tool that takes no parameters:
Thought: what you need to know next, and why
Action: server.tool
Action Input:

To conclude:
Thought: why you know enough
Final Answer: your complete analysis`;

/** The user message after a reply that is neither an action nor a final answer: the error and the format. */
export function malformedFeedback(parsed: Pick<ParsedReact, "errorMessage">): string {
  return `${parsed.errorMessage}\n\n${REMINDER}`;
}

/**
 * The user message after an action that names an unavailable tool: the error, then the available tools, one per line
 * as `name: description`, framed like in the first prompt; `hint` says which one may be meant. For a name that is not `server.tool` the error is the parser's.
 */
export function unknownToolFeedback(
  parsed: Pick<ParsedReact, "action" | "errorMessage">,
  { tools, hint = "" }: { readonly tools: readonly PromptTool[]; readonly hint?: string },
  nonce: SessionNonce,
): string {
  const error =
    parsed.errorMessage ||
    `Unknown tool '${shorten(oneLine(parsed.action))}': there is no tool of this name.`;
  const remark = hint === "" ? "" : ` Please ${oneLine(hint)}.`;
  return `Observation: Error - ${escapeMarkers(error)}${remark}\n\n${listTools(tools, nonce)}`;
}

function listTools(tools: readonly PromptTool[], nonce: SessionNonce): string {
  if (tools.length === 0) {
    return "No tools are available; conclude with a Final Answer from what you know.";
  }
  const lines = tools.map(({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`.trimEnd());
  return `Available tools:\n\n${frame(nonce, "TOOLS", lines.join("\n"))}`;
}

function shorten(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name;
}

/** The user message with a tool's output for a ReAct agent; the output is framed as data. */
export function observation(output: string, nonce: SessionNonce): string {
  return `Observation: ${untrustedText(nonce, "TOOL_OUTPUT", output)}`;
}
