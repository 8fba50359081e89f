import { isRepeatable as mayRepeat, type ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Tool, ToolOutput } from "../tool.ts";
import { readableText, withoutOwnLines } from "../readable-text.ts";
import { compileArgumentsCheck, type ArgumentsCheck } from "./check-arguments.ts";
import { fitArguments } from "./fit-arguments.ts";
import type { ListedTool } from "./list-tools.ts";
import { McpFailure } from "./mcp-failure.ts";
import type { McpServers } from "./mcp-servers.ts";
import { parseArguments } from "./parse-arguments.ts";
import { joinParts } from "./result-text.ts";

const ANY_ARGUMENTS = '{"type":"object"}';

/** The description of a listed tool for the executor. */
export function describeTool(server: string, tool: ListedTool): ToolDescription {
  return {
    name: `${server}.${tool.name}`,
    server,
    description: tool.description,
    parameters_schema: tool.schema,
    read_only: mayRepeat(tool.effect),
    effect: tool.effect,
    effect_known: tool.isEffectKnown,
    gate: tool.gate,
    ...(tool.needsApproval ? { needs_approval: true } : {}),
    definition_hash: tool.hash,
    ...(tool.title === undefined ? {} : { title: tool.title }),
  };
}

/** A tool that its server has listed. */
export function mcpTool(servers: McpServers, server: string, listed: ListedTool): Tool {
  return {
    description: describeTool(server, listed),
    call: async (text, signal, context): Promise<ToolOutput> => {
      const written = parseArguments(text);
      if (typeof written === "string") return { isError: true, content: [written] };
      const { schema, problemOf } = parametersOf(listed);
      const args = fitArguments(written, schema);
      const problem = problemOf(args);
      if (problem !== undefined) return { isError: true, content: [problem] };
      const tool = listed.name;
      const { result, stateLost } = await servers.call({ ...context, server, tool, args, signal });
      const { text: content, seams } = joinParts(result, (part) => withoutOwnLines(readableText(part)));
      const before = stateLost ? STATE_LOST : "";
      return {
        isError: result.isError === true,
        content: [before + content],
        seams: seams.map((at) => before.length + at),
      };
    },
  };
}

/**
 * A tool of a server that could not be asked for its tools: calls fail with the reason, and nothing is sent, because the
 * tool's effect is unknown.
 */
export function unlistedTool(server: string, tool: string, reason: string): Tool {
  const nothing = { description: "", title: undefined, schema: ANY_ARGUMENTS, hash: "" };
  const write = { effect: "write", isEffectKnown: false, gate: "allow", needsApproval: false } as const;
  return {
    description: describeTool(server, { name: tool, ...nothing, ...write }),
    call: () => Promise.reject(new McpFailure("unreachable", "no", reason)),
  };
}

interface CheckedSchema {
  readonly schema: unknown;
  readonly problemOf: ArgumentsCheck;
}

/** Keyed by tool, as long as its list is kept. */
const parameters = new WeakMap<ListedTool, CheckedSchema>();

function parametersOf(listed: ListedTool): CheckedSchema {
  const { schema } = listed;
  const known = parameters.get(listed) ?? {
    schema: JSON.parse(schema),
    problemOf: compileArgumentsCheck(schema),
  };
  parameters.set(listed, known);
  return known;
}

const STATE_LOST =
  "[The connection to this server was opened anew: what earlier calls left in its memory is gone.]\n";
