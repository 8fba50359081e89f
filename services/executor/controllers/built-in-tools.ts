import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { MEMORY_TOOL_NAMES, type MemoryToolName } from "#shared/contracts/memory.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { conclusionSchema } from "../prompts/conclusion-prompts.ts";

/** The names of those that read kept results, without the server. */
export const RESULT_TOOL_NAMES = ["result_read", "result_search", "result_json"] as const;
export type ResultToolName = (typeof RESULT_TOOL_NAMES)[number];

/** The limits of the arguments of those that look at earlier sessions. */
export const MAX_RECALLED = 20;
export const MAX_FOUND_SESSIONS = 10;
export const MAX_DAYS_BACK = 365;

/** The names of those that start and stop sub-agents. */
const SUB_AGENT_TOOL_NAMES = ["dispatch_agent", "cancel_agent", "list_agents"] as const;
export type SubAgentToolName = (typeof SUB_AGENT_TOOL_NAMES)[number];

/** The names of tools that the step which asks for them answers, beside those of sub-agents. */
const OTHER_STEP_TOOLS = ["tool_search", "conclude"] as const;

/** The names of the built-in tools without the server. */
const BUILT_IN_NAMES = [
  ...RESULT_TOOL_NAMES,
  "load_skill",
  ...MEMORY_TOOL_NAMES,
  ...SUB_AGENT_TOOL_NAMES,
  ...OTHER_STEP_TOOLS,
] as const;
export type BuiltInName = (typeof BUILT_IN_NAMES)[number];

const ID = { type: "string", description: "the id that stands in the shown part of the result" };
const upTo = (maximum: number, description: string) => ({
  type: "integer",
  minimum: 1,
  maximum,
  description,
});
const positive = (description: string) => ({ type: "integer", minimum: 1, description });

const TOOLS: Readonly<Record<BuiltInName, { readonly description: string; readonly parameters: object }>> = {
  result_read: {
    description: "Reads lines of a large tool result of which only a part was shown.",
    parameters: {
      id: ID,
      from_line: positive("the first line, from 1 (default 1)"),
      lines: positive("how many lines (default 200)"),
    },
  },
  result_search: {
    description: "Finds lines of a large tool result of which only a part was shown.",
    parameters: {
      id: ID,
      pattern: {
        type: "string",
        minLength: 1,
        description: "the text to find, in upper and lower case as written",
      },
      regex: {
        type: "boolean",
        description: "whether the pattern is a JavaScript regular expression (default false)",
      },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 20,
        description: "lines shown around each hit (default 0)",
      },
    },
  },
  result_json: {
    description: "Reads a value of a large tool result in JSON of which only a part was shown.",
    parameters: {
      id: ID,
      path: {
        type: "string",
        description:
          'where the value is, such as items[0].metadata.name, items[*].status or ["a.b"].c; empty for all of it',
      },
    },
  },
  load_skill: {
    description: "Loads the texts of skills. The system prompt lists the skills with their descriptions.",
    parameters: {
      names: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: "the names of the skills as they are listed",
      },
    },
  },
  recall_past_investigations: {
    description:
      "Finds notes that earlier investigations left: how things are here, what a symptom turned out to be, what helped. They are leads to check, not facts.",
    parameters: {
      query: { type: "string", minLength: 1, description: "what the notes are to be about, in key words" },
      limit: upTo(MAX_RECALLED, "how many notes (default 10)"),
    },
  },
  search_past_sessions: {
    description:
      "Finds earlier alerts that have all words of a query, with what was concluded and asked about them.",
    parameters: {
      query: { type: "string", minLength: 1, description: "words that the alert must have, such as a name" },
      alert_type: { type: "string", description: "only alerts of this type (default any)" },
      days_back: upTo(MAX_DAYS_BACK, "how many days ago the oldest may be (default 30)"),
      limit: upTo(MAX_FOUND_SESSIONS, "how many sessions, newest first (default 5)"),
    },
  },
  dispatch_agent: {
    description: "Starts a sub-agent. It works on its own; its result arrives later as a message.",
    parameters: {
      name: { type: "string", description: "a name from the catalog of sub-agents" },
      task: {
        type: "string",
        description: "what it is to find out or do, with all it must know: it sees nothing else",
      },
    },
  },
  cancel_agent: {
    description: "Stops a sub-agent whose result is not needed any more.",
    parameters: { execution_id: { type: "string", description: "as returned by dispatch_agent" } },
  },
  list_agents: { description: "Lists the sub-agents that were started, with their states.", parameters: {} },
  tool_search: {
    description:
      "Finds tools whose definitions are not loaded yet, and loads those that match best: they can be called from then on.",
    parameters: {
      query: {
        type: "string",
        minLength: 1,
        description: "words of names or of purposes, or whole names of tools, in any order",
      },
    },
  },
  conclude: {
    description:
      "States your conclusion as data, with the words of results that show it. Call it once, before your answer; a program compares the quotes.",
    parameters: conclusionSchema().properties,
  },
};
const REQUIRED: Readonly<Record<BuiltInName, readonly string[]>> = {
  result_read: ["id"],
  result_search: ["id", "pattern"],
  result_json: ["id"],
  load_skill: ["names"],
  recall_past_investigations: ["query"],
  search_past_sessions: ["query"],
  dispatch_agent: ["name", "task"],
  cancel_agent: ["execution_id"],
  list_agents: [],
  tool_search: ["query"],
  conclude: conclusionSchema().required,
};

/** The built-in tools that read kept results, as a listing has them; every agent that has any server's tool gets them. */
export const BUILT_IN_TOOLS: readonly ToolDescription[] = RESULT_TOOL_NAMES.map(described);

/** The built-in tool of an agent that may load skills. */
export const LOAD_SKILL: ToolDescription = described("load_skill");

/** The built-in tool of an agent that has more tools than fit into a call. */
export const TOOL_SEARCH: ToolDescription = described("tool_search");

/** The built-in tools of an agent of a session that remembers. */
export const MEMORY_TOOLS: readonly ToolDescription[] = MEMORY_TOOL_NAMES.map(described);

/** The built-in tools of an agent that may start others. */
export const SUB_AGENT_TOOLS: readonly ToolDescription[] = SUB_AGENT_TOOL_NAMES.map(described);

/** The built-in tool of an agent that states its conclusion as data, with the names that its task has. */
export function concludeTool({ conclusion_names }: Pick<ResolvedAgent, "conclusion_names">): ToolDescription {
  return {
    ...described("conclude"),
    parameters_schema: JSON.stringify(conclusionSchema(conclusion_names)),
  };
}

/** The tools that the step which asks for them answers: their answers have rows of their own. */
export type StepTool = SubAgentToolName | (typeof OTHER_STEP_TOOLS)[number];

/** True for a tool that the step which asks for it answers. */
export function isStepTool(name: BuiltInName | undefined): name is StepTool {
  return OTHER_STEP_TOOLS.some((known) => known === name) || isSubAgentTool(name);
}

/** True for a tool that starts or stops sub-agents, or lists them. */
export function isSubAgentTool(name: BuiltInName | undefined): name is SubAgentToolName {
  return SUB_AGENT_TOOL_NAMES.some((known) => known === name);
}

/** True for a tool that looks at earlier sessions. */
export function isMemoryTool(name: BuiltInName): name is MemoryToolName {
  return MEMORY_TOOL_NAMES.some((known) => known === name);
}

function described(name: BuiltInName): ToolDescription {
  return {
    name: `${BUILT_IN_SERVER}.${name}`,
    server: BUILT_IN_SERVER,
    description: TOOLS[name].description,
    parameters_schema: JSON.stringify({
      type: "object",
      properties: TOOLS[name].parameters,
      required: REQUIRED[name],
    }),
    read_only: true,
  };
}

/**
 * The built-in tool among `tools` that a model means by a name: `tarsy.result_read`, without the server, or with a provider's
 * prefix such as `google:`. Undefined for any other name.
 */
export function findBuiltInTool(name: string, tools: readonly ToolDescription[]): BuiltInName | undefined {
  const known = builtInName(name);
  return tools.some((tool) => tool.name === `${BUILT_IN_SERVER}.${known}`) ? known : undefined;
}

function builtInName(name: string): BuiltInName | undefined {
  const bare = name.replace(/^[A-Za-z][\w-]*:/u, "").replace(`${BUILT_IN_SERVER}.`, "");
  return BUILT_IN_NAMES.find((known) => known === bare);
}

/** "server.tool" of a call: a built-in tool's full name, however the model wrote it; any other name as it is. */
export function fullToolName(name: string): string {
  const known = builtInName(name);
  return known === undefined ? name : `${BUILT_IN_SERVER}.${known}`;
}
