import { type ToolDescription, markedDescription } from "#shared/contracts/tool-list.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ServerOffer } from "./prompt-input.ts";
import { type SessionNonce, frame, oneLine } from "./untrusted-text.ts";

/**
 * The tools of a ReAct agent, numbered in the order given. The tool servers' descriptions are untrusted: they are
 * written on one line each and cannot close the frame.
 */
export function toolsBlock(tools: readonly ToolDescription[], nonce: SessionNonce): string {
  return `Answer the task below with the help of these tools. Call a tool by its full name, and only those listed. Each description says what the tool's server claims about it.

Available tools:

${frame(nonce, "TOOLS", toolDefinitions(tools))}`;
}

/** Tools with their parameters, numbered in the order given; what their servers wrote stays within its line. */
export function toolDefinitions(tools: readonly ToolDescription[]): string {
  return tools
    .map((tool, index) =>
      [
        `${index + 1}. **${oneLine(tool.name)}**: ${oneLine(markedDescription(tool))}`.trimEnd(),
        ...parameterLines(tool.parameters_schema),
      ].join("\n"),
    )
    .join("\n\n");
}

/**
 * The part of a user message about tools that an agent has to search for; empty if there are none. Two empty lines separate it from
 * what follows.
 */
export function searchableBlock(offer: Pick<ServerOffer, "searchable"> | null, nonce: SessionNonce): string {
  const { searchable = [] } = offer ?? {};
  if (searchable.length === 0) return "";
  return `${SEARCHABLE}\n\n${frame(nonce, "TOOLS", toolNames(searchable))}\n\n\n`;
}

const SEARCHABLE = `You may call the tools below, too, but their definitions are not loaded: you see names and first sentences. Load those that you need with \`tool_search\`, by words of their names or purposes, and then call them.`;

/** Names and first sentences of tools, one line each. */
export function toolNames(tools: readonly ToolDescription[]): string {
  return tools
    .map((tool) => `- ${oneLine(tool.name)}: ${firstSentence(oneLine(markedDescription(tool)))}`.trimEnd())
    .join("\n");
}

const MAX_SENTENCE = 200;

/** Abbreviations near the beginning end no sentence. */
function firstSentence(text: string): string {
  const sentence = /^.{20,}?(?:[.!?](?=\s)|。)/u.exec(text)?.[0] ?? text;
  return sentence.length > MAX_SENTENCE ? `${sentence.slice(0, safeCut(sentence, MAX_SENTENCE))}…` : sentence;
}

function parameterLines(schema: string): string[] {
  const parameters = toolParameters(schema);
  if (parameters.length === 0) return ["    **Parameters**: None"];
  return ["    **Parameters**:", ...parameters.map((line) => `    ${line}`)];
}

/**
 * A tool's parameters from its JSON Schema (as JSON text), one line each, sorted by name:
 * `- name (required, string): description [default: x; choices: ["a", "b"]]`. Empty if the tool takes no parameters or
 * the schema, which comes from a tool server, is invalid.
 */
function toolParameters(schemaText: string): string[] {
  try {
    const schema: unknown = JSON.parse(schemaText);
    if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
    const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
    return Object.entries(schema["properties"])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, property]) =>
        parameterLine(name, isJsonObject(property) ? property : {}, required.includes(name)),
      );
  } catch {
    // Not JSON, or nested too deep to serialise.
    return [];
  }
}

function parameterLine(name: string, property: Record<string, unknown>, required: boolean): string {
  const { type, description, enum: choices } = property;
  const kind = [required ? "required" : "optional", ...typeNames(type)].join(", ");
  const words = typeof description === "string" ? oneLine(description) : "";
  const details = [
    ...("default" in property ? [`default: ${valueText(property["default"])}`] : []),
    ...(Array.isArray(choices)
      ? [`choices: [${choices.map((choice) => JSON.stringify(choice)).join(", ")}]`]
      : []),
  ];
  const suffix = details.length === 0 ? "" : ` [${oneLine(details.join("; "))}]`;
  return `- ${oneLine(name)} (${kind})${words === "" ? "" : `: ${words}`}${suffix}`;
}

function typeNames(type: unknown): string[] {
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
  return names.length === 0 ? [] : [oneLine(names.join(" or "))];
}

function valueText(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
