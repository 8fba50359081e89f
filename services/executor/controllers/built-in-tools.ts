import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";

/** The names of those that read kept results, without the server. */
export const RESULT_TOOL_NAMES = ["result_read", "result_search", "result_json"] as const;
export type ResultToolName = (typeof RESULT_TOOL_NAMES)[number];

/** The names of those that start and stop sub-agents. */
const SUB_AGENT_TOOL_NAMES = ["dispatch_agent", "cancel_agent", "list_agents"] as const;
export type SubAgentToolName = (typeof SUB_AGENT_TOOL_NAMES)[number];

/** The names of the built-in tools without the server. */
const BUILT_IN_NAMES = [...RESULT_TOOL_NAMES, "load_skill", ...SUB_AGENT_TOOL_NAMES] as const;
export type BuiltInName = (typeof BUILT_IN_NAMES)[number];

const ID = { type: "string", description: "the id that stands in the shown part of the result" };
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
};
const REQUIRED: Readonly<Record<BuiltInName, readonly string[]>> = {
  result_read: ["id"],
  result_search: ["id", "pattern"],
  result_json: ["id"],
  load_skill: ["names"],
  dispatch_agent: ["name", "task"],
  cancel_agent: ["execution_id"],
  list_agents: [],
};

/** The built-in tools that read kept results, as a listing has them; every agent that has any server's tool gets them. */
export const BUILT_IN_TOOLS: readonly ToolDescription[] = RESULT_TOOL_NAMES.map(described);

/** The built-in tool of an agent that may load skills. */
export const LOAD_SKILL: ToolDescription = described("load_skill");

/** The built-in tools of an agent that may start others. */
export const SUB_AGENT_TOOLS: readonly ToolDescription[] = SUB_AGENT_TOOL_NAMES.map(described);

/** True for a tool that starts or stops sub-agents, or lists them. */
export function isSubAgentTool(name: BuiltInName | undefined): name is SubAgentToolName {
  return SUB_AGENT_TOOL_NAMES.some((known) => known === name);
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
