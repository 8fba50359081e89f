import type { IncomingMessage } from "node:http";
import type { Static, TObject } from "typebox";
import type {
  CallToolResult,
  InputRequiredResult,
  Tool,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { forbidden } from "#shared/access/access-refused.ts";
import { allows, type Action } from "#shared/access/authorize.ts";
import type { Identity, Scope } from "#shared/access/identity.ts";
import type { ApiDeps } from "../api-deps.ts";
import { perform } from "../http/access.ts";
import { bodyReader } from "../http/body-reader.ts";
import type { Caller } from "../http/caller.ts";
import { abbreviate, validationError } from "../http/request-error.ts";
import { frameText } from "./frame-text.ts";

/** One message of a client, and who sent it. */
export interface McpCall {
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly era: "legacy" | "modern";
  /** The client understands a result that is a task. */
  readonly knowsTasks: boolean;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** What the client's user answered, by the name of the question. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

/** A tool as the server offers it. */
export interface McpTool {
  readonly name: string;
  /** What its callers need a role for, and the scope of their key. */
  readonly action: Action;
  readonly scope: Scope;
  /** As clients see it. */
  readonly listed: Tool;
  /** Rejects with what the routes reject with. */
  readonly call: (
    args: Readonly<Record<string, unknown>>,
    call: McpCall,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

interface ToolParts<S extends TObject> extends Pick<McpTool, "name" | "action" | "scope"> {
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: S;
  readonly run: (args: Static<S>, call: McpCall) => Promise<CallToolResult | InputRequiredResult>;
}

/** A tool from its schema and its function, which gets arguments that were checked, of a caller who may use it. */
export function defineTool<S extends TObject>(deps: ApiDeps, parts: ToolParts<S>): McpTool {
  const { name, action, scope, description, annotations, input, run } = parts;
  const read = bodyReader(input);
  return {
    name,
    action,
    scope,
    listed: { name, description, inputSchema: schemaOf(input), annotations },
    call: async (args, call) => {
      const known = Object.keys(input.properties);
      const unknown = Object.keys(args).find((key) => !known.includes(key));
      if (unknown !== undefined) {
        throw validationError(abbreviate(unknown), "is no argument of this tool", known);
      }
      const checked = read({ ...args });
      return performIn(deps, { action, scope }, call, async () => run(checked, call));
    },
  };
}

function schemaOf(input: TObject): Tool["inputSchema"] {
  const { properties, required } = input;
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, { ...schema }])),
    ...(required === undefined ? {} : { required: [...required] }),
    additionalProperties: false,
  };
}

/** True if the caller may use what needs this role and this scope. */
export function mayUse(identity: Identity, { action, scope }: Pick<McpTool, "action" | "scope">): boolean {
  return allows(identity, action) && hasScope(identity, scope);
}

function hasScope({ scopes }: Identity, scope: Scope): boolean {
  return scopes === undefined || scopes.includes(scope);
}

/** Does something for the caller of a message, who needs the role and the scope, and records it. Rejects as `perform` does. */
export async function performIn<T>(
  deps: ApiDeps,
  { action, scope }: Pick<McpTool, "action" | "scope">,
  call: Pick<McpCall, "caller" | "request">,
  work: () => Promise<T>,
): Promise<T> {
  const { caller } = call;
  return perform(deps, action, call, async () => {
    if (!hasScope(caller.identity, scope)) {
      throw forbidden(`this API key may not do that over MCP: it has not the scope ${scope}`);
    }
    try {
      return await work();
    } finally {
      if (scope !== "read") deps.replica?.noteWrite(caller);
    }
  });
}

/** A result: facts of ours, and texts of others in a frame. */
export function resultOf(
  facts: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>> = {},
): CallToolResult {
  const hasTexts = Object.values(texts).some((text) => text !== "");
  const shown = JSON.stringify(facts, undefined, 1);
  const text = hasTexts ? `${shown}\n\n${frameText(texts)}` : shown;
  return { content: [{ type: "text", text }], structuredContent: { ...facts } };
}
