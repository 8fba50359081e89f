import { cleanToolName } from "./clean-tool-name.ts";
import { dropLastFence, stripFence } from "./code-fence.ts";
import { describeMalformed } from "./describe-malformed.ts";
import type { Sections } from "./line-machine.ts";
import type { ParsedReact } from "./parsed-react.ts";
import { recoverAction } from "./recover-action.ts";

/**
 * Decides what a text with these sections asks for: an action with its input, even an empty one, before a final
 * answer, and a final answer before nothing.
 */
export function decide(text: string, sections: Sections): ParsedReact {
  const found = { ...sections.found };
  const nothing = {
    thought: dropLastFence(sections.thought),
    hasAction: false,
    action: "",
    actionInput: "",
    isFinalAnswer: false,
    finalAnswer: "",
    isUnknownTool: false,
    isMalformed: false,
    errorMessage: "",
    found,
  };
  let action = cleanToolName(sections.action);
  if (action === "" && found.actionInput) {
    action = recoverAction(text, sections.inputAt);
    if (action !== "") found.action = true;
  }
  if (action !== "" && found.actionInput) {
    const isUnknownTool = !action.includes(".");
    return {
      ...nothing,
      hasAction: true,
      action,
      actionInput: stripFence(sections.actionInput),
      isUnknownTool,
      errorMessage: isUnknownTool ? describeUnknown(action) : "",
    };
  }
  const finalAnswer = dropLastFence(sections.finalAnswer);
  if (finalAnswer !== "") return { ...nothing, isFinalAnswer: true, finalAnswer };
  return { ...nothing, isMalformed: true, errorMessage: describeMalformed(found) };
}

function describeUnknown(action: string): string {
  const shown = action.length > 200 ? `${action.slice(0, 200).toWellFormed()}…` : action;
  return `Unknown tool '${shown}': tools are named 'server.tool', such as 'kubernetes.get_pods'.`;
}
