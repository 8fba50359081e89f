import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { callKey, normaliseCall, type NormalArguments } from "#shared/worlds/normalise-call.ts";
import type { World, WorldAnswer, WorldTool } from "#shared/worlds/world-format.ts";
import { storable } from "../source.ts";
import { isKind } from "./tools.ts";

/** A call and what was recorded of its answer: text or JSON. */
export interface RecordedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly value: unknown;
}

interface Kept {
  readonly answer: WorldAnswer;
  readonly isCanonical: boolean;
}

/**
 * The answers of a case, each call once. Of two keys for one call, that with the plural of the kind is right: the benchmark's tools look
 * under no other, and the other was often recorded at another minute.
 */
export function readAnswers(server: World["servers"][number], calls: readonly RecordedCall[]) {
  const tools = new Map(server.tools.map((tool) => [tool.name, tool]));
  const kept = new Map<string, Kept>();
  const counts = {
    shadowed_keys: 0,
    shadowed_keys_with_other_text: 0,
    conflicts: 0,
    empty_resources: 0,
    changed_texts: 0,
  };
  for (const call of calls) {
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new Error(`tool_cache.json has the unknown tool ${call.tool}`);
    const normal = normaliseCall(tool.normalise, call.args);
    if (tool.name === "GetResources" && isEmpty(call.value)) counts.empty_resources += 1;
    const { text, changed } = storable(textOf(tool, normal, call.value));
    if (changed) counts.changed_texts += 1;
    const key = `${tool.name} ${callKey(normal)}`;
    const now = { answer: answerOf(server.id, call, text), isCanonical: isCanonical(call.args) };
    const before = kept.get(key);
    if (before === undefined) kept.set(key, now);
    else if (before.isCanonical && now.isCanonical) counts.conflicts += 1;
    else {
      counts.shadowed_keys += 1;
      if (before.answer.text !== text) counts.shadowed_keys_with_other_text += 1;
      if (now.isCanonical) kept.set(key, now);
    }
  }
  return { answers: Array.from(kept.values(), ({ answer }) => answer), counts };
}

function answerOf(server: string, { tool, args }: RecordedCall, text: string): WorldAnswer {
  const given = Object.entries(args).filter(([, value]) => value !== "" && value !== null && value !== false);
  return { tool: `${server}.${tool}`, args: Object.fromEntries(given), text };
}

function isCanonical({ resource_type: kind }: JsonObject): boolean {
  return kind === undefined || isKind(kind);
}

/** The benchmark's tools say these sentences for what they have recorded as nothing. */
function textOf({ name }: WorldTool, args: NormalArguments, value: unknown): string {
  const arg = (of: string) => String(args.get(of));
  if (name === "GetErrorLogs" && (isEmpty(value) || hasNoErrors(value))) {
    return `No error logs found for ${arg("service_name")} in ${arg("namespace")} namespace.`;
  }
  if (!isEmpty(value)) return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  switch (name) {
    case "GetResources":
      if (args.has("label_selector")) {
        return `No matching ${arg("resource_type")} found for selector "${arg("label_selector")}".`;
      }
      return args.has("namespace")
        ? `No resources found in ${arg("namespace")} namespace.`
        : `No ${arg("resource_type")} found.`;
    case "GetRecentLogs":
      return `No recent logs found for ${arg("service_name")} in ${arg("namespace")} namespace.`;
    case "GetAlerts":
      return "No active metric anomalies detected at this time.";
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

function hasNoErrors(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { total_errors: total, patterns } = value;
  return total === 0 || ("patterns" in value && isEmpty(patterns));
}
