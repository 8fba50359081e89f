import { Script } from "#shared/agent-config/scripts/script-schema.ts";

/** A one-line description of each key of a script; docs/configuration.md has the rules. By key, or `parent.key`. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  calls: "The first entry whose conditions all hold answers a call.",
  when: "All of these must hold; without it, the entry answers every call.",
  call: "The number of the call in its conversation, from 1.",
  contains: "Any message contains the text, case-sensitive; of a list, each text.",
  last_contains: "The last message contains it.",
  agent: "The call is one of this agent's conversation; a synthesis is one of SynthesisAgent's.",
  alert_matches: "The alert matches this regular expression of JavaScript, ignoring case.",
  attempt: "The gateway's try of the call: 1, 2, 3.",
  tools: "Whether tools are bound to the call.",
  "when.provider_state": "The last assistant message carries this state; empty: none.",
  steps: "Played one after another; each does exactly one thing.",
  thinking: "Streams thinking.",
  text: "Streams text of the answer.",
  "grounding_supports.text": "The supported part of the answer.",
  tool_call: "Calls a tool.",
  id: "The readable prefix of the call's id.",
  name: "The tool: server.tool.",
  arguments: "Any mapping.",
  code_execution: "Code that the provider ran, and its result.",
  code: "The code.",
  "error.code": "docs/providers.md lists the codes.",
  result: "Its result.",
  grounding: "Sources, as in proto/llm/v1/llm.proto.",
  web_search_queries: "What was searched for.",
  grounding_chunks: "The sources.",
  uri: "The address.",
  title: "The title.",
  grounding_supports: "Which part of the answer has which sources.",
  start_index: "Where the part begins.",
  end_index: "Where it ends.",
  grounding_chunk_indices: "Its sources, by their place in grounding_chunks.",
  search_entry_point_html: "The provider's own widget.",
  provider_state: "The opaque text that comes back with the next call; at most once per call.",
  usage: "Token counts; without this step they are estimated.",
  input_tokens: "Tokens of the input.",
  output_tokens: "Tokens of the answer.",
  thinking_tokens: "Tokens of the thinking.",
  cached_input_tokens: "Of the input, those read from the provider's cache.",
  cache_write_tokens: "Of the input, those written to the provider's cache.",
  delay: "Waits, like 200ms or 1.5s.",
  error: "Ends the call with this error.",
  message: "What it says.",
  retryable: "Whether a retry may succeed; false by default.",
  retry_after: "The delay that the provider asks for; with retryable: true only.",
  retried: "false: the gateway itself does not try again.",
  keep_text: "The characters of the text worth keeping, for output_loop.",
  keep_thinking: "The characters of the thinking worth keeping, for output_loop.",
  hang: "true: sends nothing more.",
  stall: "true: sends nothing until the gateway's stall timeout.",
  reset: "true: loses the connection to the provider.",
  garbage: "true: sends unreadable data.",
  chunk_size: "Code points per delta, of text or thinking; by default all are one.",
  chunk_delay: "Waits before each delta except the first.",
  repeat: "Plays the step this many times.",
};

/** The JSON Schema of scripts of the scripted provider, for editors: that which the reader checks with, and a description of each key. */
export function scriptEditorSchema(): Readonly<Record<string, unknown>> {
  const plain: unknown = JSON.parse(JSON.stringify(Script));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "TARSy: a script of the scripted provider",
    description: "What the provider answers to which call; see docs/configuration.md.",
    ...recordOf(described(plain, "script")),
  };
}

/** The schema with a description of each property; `parent` is the nearest key around it. */
function described(schema: unknown, parent: string): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => described(item, parent));
  if (typeof schema !== "object" || schema === null) return schema;
  const { properties, ...rest } = recordOf(schema);
  const inner = Object.entries(rest).map(([key, value]) => [key, described(value, parent)] as const);
  if (properties === undefined) return Object.fromEntries(inner);
  const keys = Object.entries(recordOf(properties)).map(
    ([key, value]) =>
      [key, { description: describe(key, parent), ...recordOf(described(value, key)) }] as const,
  );
  return { ...Object.fromEntries(inner), properties: Object.fromEntries(keys) };
}

function describe(key: string, parent: string): string {
  const description = DESCRIPTIONS[`${parent}.${key}`] ?? DESCRIPTIONS[key];
  if (description === undefined) throw new Error(`key ${key} below ${parent} has no description: add one`);
  return description;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
