import {
  isOffered,
  listedEffect,
  needsApproval,
  type ServerToolRules,
} from "#shared/agent-config/tool-rules.ts";
import {
  isRepeatable,
  stricterEffect,
  type ToolEffect,
  type ToolDescription,
} from "#shared/contracts/tool-list.ts";
import { classOf } from "../mcp/effect-class.ts";
import type { Tool, ToolCatalogue } from "../tool.ts";

/** The part of a stub's description that says what it does; undefined if it says nothing. */
export function describeEffect(
  said: ToolEffect | undefined,
): Pick<ToolDescription, "read_only" | "effect" | "effect_known" | "gate"> {
  const { effect, known, gate } = classOf(said);
  return { read_only: isRepeatable(effect), effect, effect_known: known, gate };
}

/** The stubs with the rules of the configured servers whose place they take, by server id; those not offered are left out. */
export function applyToolRules(
  stubs: ToolCatalogue,
  rules: ReadonlyMap<string, ServerToolRules>,
): ToolCatalogue {
  const ruled = new Map<string, Tool>();
  for (const [name, stub] of stubs) {
    const ofServer = rules.get(stub.description.server);
    if (ofServer === undefined) ruled.set(name, stub);
    else if (isOffered({ tools: ofServer }, toolOf(stub))) ruled.set(name, withRules(stub, ofServer));
  }
  return ruled;
}

function withRules(stub: Tool, rules: ServerToolRules): Tool {
  const { description } = stub;
  const said = description.effect_known === true ? description.effect : undefined;
  const listed = listedEffect(rules, toolOf(stub));
  const effect = said === undefined ? listed : stricterEffect(said, listed ?? said);
  const asks = description.needs_approval === true || needsApproval(rules, toolOf(stub));
  return {
    description: {
      ...description,
      ...describeEffect(effect),
      ...(asks ? { needs_approval: true } : {}),
    },
    call: stub.call.bind(stub),
  };
}

function toolOf({ description: { name, server } }: Tool): string {
  return name.slice(server.length + 1);
}
