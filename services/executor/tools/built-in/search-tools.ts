import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { unloadedTools, withinLimits } from "../../controllers/divide-tools.ts";
import { findTools } from "../../controllers/find-tools.ts";
import type { AgentState } from "../../core/agent-state.ts";
import type { StepAnswer } from "../../core/feature.ts";
import { toolDefinitions, toolNames } from "../../prompts/tools-block.ts";
import { textOf } from "./read-query.ts";

/** The definitions that one search loads at most. */
const LIMITS = { tools: 10, bytes: 20_000, least: 1 };
/** Every word is compared with every word of every definition: thousands would stop the executor for minutes. */
const MAX_QUERY_CHARS = 1_000;
/** The names that are kept: more than have room in a call. */
const MAX_FOUND = 100;

type Asking = Pick<AgentState, "agent" | "offer" | "iteration" | "tools">;

/** Answers a call of `tool_search`: the tools that match best are among the agent's from then on. */
export function searchTools(
  { state }: { readonly state: Asking },
  { parameters }: { readonly parameters: Readonly<Record<string, unknown>> },
): StepAnswer {
  const query = textOf(parameters["query"]);
  if (query.trim() === "") return failure('The argument "query" is missing: words of names or of purposes.');
  if (query.length > MAX_QUERY_CHARS) {
    return failure(`The argument "query" may have ${MAX_QUERY_CHARS} characters at most.`);
  }
  const matching = findTools(query, state.offer?.searchable ?? []);
  if (matching.length === 0) return failure("No tool matches: try other words, or names as they are listed.");
  const found = withinLimits(matching, (tool) => [tool], LIMITS);
  const further = matching.length - found.length;
  const more = further === 0 ? "" : ` ${further} more match less well: search with other words for them.`;
  return loaded(state, found, { opening: `These tools can be called from now on.${more}`, isError: false });
}

/**
 * Answers a call of a tool that the agent may use and whose definition is not loaded: it is from then on, and the call was not
 * made. `name` is as the model wrote it. Null for any other call.
 */
export function loadCalledTools(state: Asking, name: string): StepAnswer | null {
  const meant = unloadedTools(state, name);
  if (meant.length === 0) return null;
  const opening =
    "The call was not made, because the tool's definition was not loaded. It is now: call it again as the definition says.";
  return loaded(state, meant, { opening, isError: true });
}

/** A model that writes its calls as text reads the definitions here; any other gets them with its next call. */
function loaded(
  { agent, iteration }: Asking,
  tools: readonly ToolDescription[],
  { opening, isError }: { readonly opening: string; readonly isError: boolean },
): StepAnswer {
  const list = agent.iteration_strategy === "react" ? toolDefinitions(tools) : toolNames(tools);
  const names = tools.map(({ name }) => name);
  const before = (iteration.found_tools ?? []).filter((name) => !names.includes(name));
  return {
    outcome: { kind: "result", content: `${opening}\n\n${list}`, isError },
    effect: null,
    // The best one is the last to make room for others.
    iteration: { ...iteration, found_tools: [...before, ...names.toReversed()].slice(-MAX_FOUND) },
  };
}

function failure(content: string): StepAnswer {
  return { outcome: { kind: "result", content, isError: true, isOwnText: true }, effect: null };
}
