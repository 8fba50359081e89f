import { dropLastFence, stripFence } from "./code-fence.ts";
import { parseSections, type FoundSections, type Sections } from "./parse-sections.ts";

/** The request in a model's ReAct text: exactly one of `hasAction`, `isFinalAnswer` and `isMalformed` is true. */
export interface ParsedReact {
  readonly thought: string;
  readonly hasAction: boolean;
  /** The tool's name as `server.tool`, or what the model wrote instead. */
  readonly action: string;
  /** The raw input, line breaks and indentation included, without a code fence around it. */
  readonly actionInput: string;
  readonly isFinalAnswer: boolean;
  readonly finalAnswer: string;
  /** The action is not a `server.tool` name. The caller checks whether a well-formed name exists. */
  readonly isUnknownTool: boolean;
  readonly isMalformed: boolean;
  /** For the model: what is wrong with an unknown tool or a malformed text. */
  readonly errorMessage: string;
  /** The sections the text has, a recovered action included. */
  readonly found: Readonly<FoundSections>;
}

/**
 * Parses a model's complete ReAct text: its thought and either the tool call it asks for or its final answer, or why
 * it is neither. Tolerates markdown and loose layout, never throws, and takes time linear in the text.
 * `ReactSections` is the parser for a text that is still being generated.
 */
export function parseReact(text: string): ParsedReact {
  const unix = text.replaceAll("\r\n", "\n");
  return interpret(unix, parseSections(unix));
}

/**
 * Precedence: an action with its input, even an empty one, then a final answer. A text with neither is malformed.
 */
function interpret(text: string, sections: Sections): ParsedReact {
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
    action = recoverToolName(text, sections.inputAt);
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
      errorMessage: isUnknownTool ? describeUnknownTool(action) : "",
    };
  }
  const finalAnswer = dropLastFence(sections.finalAnswer);
  if (finalAnswer !== "") return { ...nothing, isFinalAnswer: true, finalAnswer };
  return { ...nothing, isMalformed: true, errorMessage: describeMalformed(found) };
}

function describeUnknownTool(action: string): string {
  const shortened = action.length > 200 ? `${action.slice(0, 200).toWellFormed()}…` : action;
  return `Unknown tool '${shortened}': tools are named 'server.tool', such as 'kubernetes.get_pods'.`;
}

const SECTIONS = [
  ["thought", "Thought"],
  ["action", "Action"],
  ["actionInput", "Action Input"],
  ["finalAnswer", "Final Answer"],
] as const;

/** Why a text is neither an action nor a final answer, in one sentence for the model that wrote it. */
function describeMalformed(found: Readonly<FoundSections>): string {
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

const TOOL_NAME = /^[\w-]+\.[\w-]+$/u;

/** A tool's name without the backticks, the emphasis or the code fence around it. */
function cleanToolName(text: string): string {
  const name = stripFence(text.trim());
  let start = 0;
  let end = name.length;
  while (start < end && isWrapping(name.charAt(start))) start += 1;
  while (end > start && isWrapping(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

/**
 * The tool's name in a text that has an input but no Action header, such as `ACTION: k8s.get_pods` or `I will take
 * action k8s.get_pods`; empty if the text names none. `inputAt` is the offset of its first Action Input header.
 */
function recoverToolName(text: string, inputAt: number): string {
  const literal = /action input:/iu.exec(text)?.index ?? inputAt;
  const before = text.slice(0, Math.min(literal, inputAt));
  const at = lastEnd(before, /\baction:/giu) ?? lastEnd(before, /\baction\b/giu);
  if (at === undefined) return "";
  const rest = before
    .slice(at)
    .replace(/^[*_`]{1,3}/u, "")
    .trimStart();
  const lineEnd = rest.indexOf("\n");
  const name = cleanToolName(lineEnd === -1 ? rest : rest.slice(0, lineEnd));
  return TOOL_NAME.test(name) ? name : "";
}

function lastEnd(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

function isWrapping(char: string): boolean {
  return char === "*" || char === "`" || char.trim() === "";
}
