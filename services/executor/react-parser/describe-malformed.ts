import type { FoundSections } from "./parsed-react.ts";

const SECTIONS = [
  ["thought", "Thought"],
  ["action", "Action"],
  ["actionInput", "Action Input"],
  ["finalAnswer", "Final Answer"],
] as const;

/** What keeps a text from being an action or a final answer, in one sentence for the model that wrote it. */
export function describeMalformed(found: Readonly<FoundSections>): string {
  const { thought, action, actionInput, finalAnswer } = found;
  if (action && !actionInput && !finalAnswer) {
    return "Your reply has an 'Action:' without an 'Action Input:'; every action needs one, empty if the tool takes no parameters.";
  }
  if (actionInput && !action && !finalAnswer) {
    return "Your reply has an 'Action Input:' without an 'Action:'; name the tool on an 'Action:' line before it.";
  }
  if (thought && !action && !actionInput && !finalAnswer) {
    return "Your reply has only a 'Thought:'; follow it with a tool call ('Action:' and 'Action Input:') or conclude with 'Final Answer:'.";
  }
  if (!thought && !action && !actionInput && !finalAnswer) {
    return "Your reply has none of the expected sections ('Thought:', 'Action:', 'Action Input:', 'Final Answer:').";
  }
  const listed = (present: boolean) =>
    SECTIONS.filter(([key]) => found[key] === present)
      .map(([, name]) => name)
      .join(", ") || "none";
  return `Your reply is incomplete: found ${listed(true)}; missing ${listed(false)}; a section that was found but is empty does not count.`;
}
