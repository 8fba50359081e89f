import { isRepeatable, type ToolEffect, type GateClass } from "#shared/contracts/tool-list.ts";
import { listedEffect } from "#shared/agent-config/tool-rules.ts";
import type { ServerSettings } from "./server-settings.ts";

/** A server's own description of its tool; the defaults of the protocol are the worst case. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}

/** The effect of a tool, how sure it is, and its consequences for calls. */
interface EffectClass {
  /** `write` if it is not known. */
  readonly effect: ToolEffect;
  /** The operator or a trusted server said what the tool does. */
  readonly known: boolean;
  readonly gate: GateClass;
}

/**
 * The effect of a tool and its class for the gate: as the operator's lists say, else as the server says if it is trusted,
 * else `write`. A server that calls its tool destructive is believed by the gate also without trust, and also if it says more:
 * of hints that contradict each other the more dangerous one counts.
 */
export function effectClass(
  { tools, trustAnnotations }: Pick<ServerSettings, "tools" | "trustAnnotations">,
  name: string,
  annotations: ToolAnnotations = {},
): EffectClass {
  const listed = listedEffect(tools, name);
  if (listed !== undefined) return classOf(listed);
  const said = trustAnnotations ? annotatedEffect(annotations) : undefined;
  const isHarmful = annotations.destructiveHint === true;
  if (isHarmful) return { effect: said ?? "write", known: said !== undefined, gate: "deny" };
  return said === undefined ? classOf(undefined) : { effect: said, known: true, gate: "allow" };
}

/** The class of a tool that the operator's lists give this effect, or that no list names (undefined). */
export function classOf(effect: ToolEffect | undefined): EffectClass {
  if (effect === undefined) return { effect: "write", known: false, gate: "unknown" };
  return { effect, known: true, gate: isRepeatable(effect) ? "allow" : "deny" };
}

function annotatedEffect({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
}: ToolAnnotations): ToolEffect | undefined {
  if (destructiveHint === true) return "destructive";
  if (readOnlyHint === true) return "read";
  if (idempotentHint === true) return "idempotent";
  return destructiveHint === false ? "write" : undefined;
}
