import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The effects of a tool, from harmless to irreversible. It decides whether a call may be made again after a crash. */
export const TOOL_EFFECTS = ["read", "idempotent", "write", "destructive"] as const;
export type ToolEffect = (typeof TOOL_EFFECTS)[number];

/** True if a call may be made again although an earlier one may have taken effect. */
export function isRepeatable(effect: ToolEffect): boolean {
  return effect === "read" || effect === "idempotent";
}

/** The less harmless of two opinions. */
export function stricterEffect(one: ToolEffect, other: ToolEffect): ToolEffect {
  return TOOL_EFFECTS.indexOf(one) > TOOL_EFFECTS.indexOf(other) ? one : other;
}

/** The known class of a tool's effects: harmless, unknown, or changing things. */
const GATE_CLASSES = ["allow", "unknown", "deny"] as const;
export type GateClass = (typeof GATE_CLASSES)[number];

/** The decision on a call before it is made. */
type GateDecision = "run" | "ask" | "deny";

/**
 * Decides about a call of a listed tool. Tools that change things are denied to every agent but those of type `action`; a
 * tool with an unknown effect is allowed, unless the policy is `strict`. A person is asked about tools of the
 * operator's `approve` list. The runner's claim decides the same again, in its statement, with its own view of the tool.
 */
export function toolGate(
  tool: { readonly gate?: GateClass; readonly needs_approval?: boolean },
  agent: Pick<ResolvedAgent, "type">,
  chain: Pick<ResolvedChain, "tool_policy">,
): GateDecision {
  const { gate = "allow", needs_approval = false } = tool;
  if (agent.type !== "action") {
    if (gate === "deny") return "deny";
    if (gate === "unknown" && chain.tool_policy === "strict") return "deny";
  }
  return needs_approval ? "ask" : "run";
}

/** Maximum size of a reply's descriptions together, because a listing is one message. */
export const MAX_LISTING_BYTES = 512 * 1024;

/** The code of a server that was asked for its tools, has not answered, and never did before. */
export const NOT_LISTED_YET = "not_listed_yet";

/**
 * Codes of failures by time or by the connection, which say nothing of what a server offers: another runner may know its tools, and this
 * one may soon. Refused credentials, a wrong configuration and answers that cannot be read are none.
 */
export const PASSING_FAILURES: ReadonlySet<string> = new Set([
  NOT_LISTED_YET,
  "unreachable",
  "circuit_open",
  "closed",
  "session_gone",
  "timeout",
  "aborted",
  "busy",
  "rate_limited",
  "http_status",
]);

/** executor → tool-runner: asks which tools these servers offer. An unknown server offers none. */
const ToolListRequest = Type.Object({
  session_id: Uuid,
  execution_id: Uuid,
  server_ids: Type.Array(Type.String({ minLength: 1 })),
});
export type ToolListRequest = Static<typeof ToolListRequest>;

export const ToolDescription = Type.Object({
  /** "server.tool" */
  name: Type.String({ minLength: 3 }),
  /** The server's id: the part of `name` before the dot. */
  server: Type.String({ minLength: 1 }),
  description: Type.String(),
  /** JSON Schema of the arguments as JSON text. */
  parameters_schema: Type.String(),
  /** Only a read-only call may be repeated after a crash; any other may have had side effects. */
  read_only: Type.Boolean(),
  /** Its effect, from harmless to irreversible; absent from TARSy's own tools, of which `read_only` says enough. */
  effect: Type.Optional(literals(TOOL_EFFECTS)),
  /** False: neither the operator nor the server said what the tool does, so `effect` is an assumption. */
  effect_known: Type.Optional(Type.Boolean()),
  /** Its class for the gate; absent: `allow`. */
  gate: Type.Optional(literals(GATE_CLASSES)),
  /** A person must agree to each call. */
  needs_approval: Type.Optional(Type.Boolean()),
  /** SHA-256 of name, description and schema. */
  definition_hash: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
});
export type ToolDescription = Static<typeof ToolDescription>;

export const ToolListReply = Type.Object({
  tools: Type.Array(ToolDescription),
  /** The configured servers whose tools are not known, with the reason. */
  failed: Type.Optional(
    Type.Array(Type.Object({ server: Type.String(), code: Type.String(), message: Type.String() })),
  ),
  /** The servers whose tools are those of an earlier listing, because they did not answer. */
  stale: Type.Optional(Type.Array(Type.String())),
  /** The servers some of whose tools are left out, with which and why. */
  left_out: Type.Optional(Type.Array(Type.Object({ server: Type.String(), message: Type.String() }))),
});
export type ToolListReply = Static<typeof ToolListReply>;

export const toolListRequestCodec = jsonCodec("tool list request", ToolListRequest);
export const toolListReplyCodec = jsonCodec("tool list reply", ToolListReply);

const MARKS = ["read-only", "changes state", "asks a person"] as const;
type Mark = (typeof MARKS)[number];

/** The known facts of a tool, in brackets, for the model; empty if nothing is. */
function toolMarks({
  effect,
  effect_known,
  needs_approval,
}: Pick<ToolDescription, "effect" | "effect_known" | "needs_approval">): string {
  const marks: Mark[] = [];
  if (effect !== undefined && effect_known === true) {
    marks.push(effect === "read" ? "read-only" : "changes state");
  }
  if (needs_approval === true) marks.push("asks a person");
  return marks.map((mark) => `[${mark}]`).join(" ");
}

const CLAIMED = new RegExp(String.raw`\[\s*(${MARKS.join("|")})\s*\]`, "giu");

/** A tool's description after its marks. The server cannot write marks of its own. */
export function markedDescription(tool: ToolDescription): string {
  const description = tool.description.replaceAll(CLAIMED, "($1)");
  return [toolMarks(tool), description].filter((text) => text !== "").join(" ");
}
