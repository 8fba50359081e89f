import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { createHash } from "node:crypto";
import {
  isRepeatable,
  type GateClass,
  type ToolDescription,
  type ToolEffect,
} from "#shared/contracts/tool-list.ts";
import { isAccepted, isOffered, needsApproval } from "#shared/agent-config/tool-rules.ts";
import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { readableText } from "../readable-text.ts";
import type { Connection } from "./connection.ts";
import { effectClass } from "./effect-class.ts";
import { maskedOrWithheld, type MaskText } from "./masked-or-withheld.ts";
import type { ServerSettings } from "./server-settings.ts";
import { MAX_BYTES } from "./usable-tools.ts";

const MAX_PAGES = 64;
const MAX_TOOLS = 512;
/** The number of left-out tools that are named. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 80;
/** The form is that of the protocol: letters, digits, `_`, `-`, `.` and `/`. */
const NAME = /^[A-Za-z0-9_./-]{1,128}$/u;

/** Keywords of a schema whose value is one that the property may have. */
const VALUE_KEYWORDS = new Set(["default", "const", "examples", "example"]);

export interface ListedTool {
  /** Excludes the server's id. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  /** JSON Schema as JSON text. */
  readonly schema: string;
  readonly effect: ToolEffect;
  /** The operator or the server said what the tool does; else `effect` is an assumption. */
  readonly isEffectKnown: boolean;
  readonly gate: GateClass;
  /** A person must agree to each call. */
  readonly needsApproval: boolean;
  readonly hash: string;
}

export interface ServerTools {
  readonly tools: readonly ListedTool[];
  /** The tools that are left out, with the reasons; one sentence, empty for none. */
  readonly leftOut: string;
  /** The time for which the server lets the list be used, in milliseconds; undefined if it does not say. */
  readonly ttlMs?: number | undefined;
}

/** The description of a listed tool for the executor. */
export function describeTool(server: string, tool: ListedTool): ToolDescription {
  return {
    name: `${server}.${tool.name}`,
    server,
    description: tool.description,
    parameters_schema: tool.schema,
    read_only: isRepeatable(tool.effect),
    effect: tool.effect,
    effect_known: tool.isEffectKnown,
    gate: tool.gate,
    ...(tool.needsApproval ? { needs_approval: true } : {}),
    definition_hash: tool.hash,
    ...(tool.title === undefined ? {} : { title: tool.title }),
  };
}

/** Reads all pages of a server's tools, within limits, and keeps those that the configuration offers. */
export async function listTools(
  connection: Pick<Connection, "listPage">,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<ServerTools> {
  const tools = new Map<string, ListedTool>();
  const leftOut: string[] = [];
  const heldBack: string[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  const seen = new Set<string>();
  const listed = (limit?: string): ServerTools => ({
    tools: sorted(tools),
    leftOut: sentence(
      [...heldBackNotice(settings, heldBack), ...(limit === undefined ? [] : [limit])],
      leftOut,
    ),
    ttlMs,
  });
  for (let pages = 1; ; pages += 1) {
    const page = await connection.listPage(cursor, signal);
    ttlMs ??= page.ttlMs;
    leftOut.push(...page.leftOut);
    for (const found of page.tools) {
      if (!isOffered(settings, found.name)) continue;
      const problem = problemOf(found.name, tools);
      if (problem !== undefined) {
        leftOut.push(`${JSON.stringify(found.name.slice(0, MAX_NAME_CHARS))}: ${problem}`);
        continue;
      }
      const tool = readTool(found, settings);
      if (!isAccepted(settings, tool.name, tool.hash)) {
        heldBack.push(
          `${tool.name} (${Object.hasOwn(settings.accepted ?? {}, tool.name) ? "changed" : "new"})`,
        );
        continue;
      }
      bytes += Buffer.byteLength(JSON.stringify(tool));
      if (bytes > MAX_BYTES || tools.size === MAX_TOOLS) {
        return listed(`only the first ${tools.size} tools are offered: it has too many`);
      }
      tools.set(tool.name, tool);
    }
    // A server that repeats itself has listed all it has.
    if (page.next === undefined || seen.has(page.next)) return listed();
    if (pages === MAX_PAGES) return listed(`its list has more than ${MAX_PAGES} pages`);
    seen.add(page.next);
    cursor = page.next;
  }
}

/** The reason why a tool cannot be offered under its name; undefined if it can. */
function problemOf(name: string, others: ReadonlyMap<string, unknown>): string | undefined {
  if (!NAME.test(name)) return "the protocol does not allow its name";
  return others.has(name) ? "listed more than once, and the first one is offered" : undefined;
}

/** Tells which tools are not as the pack, or a person, has accepted them. The remedy goes first, because a long text is cut. */
function heldBackNotice({ id }: ServerSettings, heldBack: readonly string[]): string[] {
  if (heldBack.length === 0) return [];
  const more = heldBack.length > MAX_NAMED ? ` and ${heldBack.length - MAX_NAMED} more` : "";
  const names = heldBack.toSorted().slice(0, MAX_NAMED).join(", ");
  return [`held back until \`tarsy add --accept ${id}\` has shown and accepted them: ${names}${more}`];
}

function sentence(limits: readonly string[], leftOut: readonly string[]): string {
  const named = readableText(leftOut.slice(0, MAX_NAMED).join("; "));
  const more = leftOut.length > MAX_NAMED ? `; and ${leftOut.length - MAX_NAMED} more` : "";
  const parts = [...limits, ...(named === "" ? [] : [`left out: ${named}${more}`])];
  return parts.join("; ");
}

function readTool(
  { name, title, description = "", inputSchema, annotations }: McpTool,
  settings: ServerSettings,
): ListedTool {
  const { effect, known, gate } = effectClass(settings, name, annotations);
  return {
    name,
    title: safeTitle(title ?? annotations?.title),
    description: postgresSafeText(readableText(description)).text,
    schema: postgresSafeJson(readableMembers(inputSchema)),
    effect,
    isEffectKnown: known,
    gate,
    needsApproval: needsApproval(settings.tools, name),
    hash: definitionHash({ name, description, inputSchema }),
  };
}

/** Makes the texts of a schema readable: a property must be called as the server calls it. */
function readableMembers(schema: object): object {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, readable(value)]));
}

function readable(value: unknown): unknown {
  if (typeof value === "string") return readableText(value);
  if (Array.isArray(value)) return value.map(readable);
  return typeof value === "object" && value !== null ? readableMembers(value) : value;
}

function safeTitle(title: string | undefined): string | undefined {
  return title === undefined ? undefined : postgresSafeText(readableText(title)).text;
}

/** Sorts by name, so that a prompt does not change with the order in which a server lists. */
function sorted(tools: ReadonlyMap<string, ListedTool>): ListedTool[] {
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** SHA-256 of the description of a tool that a model gets, in hex; the order of keys does not count. */
export function definitionHash(definition: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}): string {
  return createHash("sha256").update(canonicalJson(definition)).digest("hex");
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/**
 * Listed tools as models may see them. Names, and the hashes of what the server really said, stay as they are. One text
 * after the other: a long list must not fill the queue of the masking.
 */
export async function maskListing(tools: readonly ListedTool[], mask: MaskText): Promise<ListedTool[]> {
  const masked: ListedTool[] = [];
  for (const tool of tools) {
    masked.push({
      ...tool,
      title: tool.title === undefined ? undefined : await maskedOrWithheld(tool.title, mask),
      description: await maskedOrWithheld(tool.description, mask),
      schema: JSON.stringify(await maskSchema(JSON.parse(tool.schema), mask)),
    });
  }
  return masked;
}

/** Masks each text of a schema by itself, so that it stays a schema; `property` is the name of what it describes. */
async function maskSchema(schema: unknown, mask: MaskText, property = "", keyword = ""): Promise<unknown> {
  if (typeof schema === "string") {
    const kind = VALUE_KEYWORDS.has(keyword) ? secretNameKind(property) : undefined;
    if (kind !== undefined && !isHarmlessValue(schema, kind)) return `[MASKED_${kind}]`;
    return maskedOrWithheld(schema, mask);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) {
    const items: unknown[] = [];
    for (const item of schema) items.push(await maskSchema(item, mask, property, keyword));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(schema)) {
    const isProperty = keyword === "properties";
    members.push([name, await maskSchema(value, mask, isProperty ? name : property, isProperty ? "" : name)]);
  }
  // Keeps `__proto__` as an ordinary name.
  return Object.fromEntries(members);
}
