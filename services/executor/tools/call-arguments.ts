import type { RunTool } from "../core/agent-state.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";

/**
 * A call's arguments as the tool-runner gets them, which fits them to the tool's schema: those written as text are parsed first,
 * structured ones stay as they are.
 */
export function callArguments({ asObservation }: Pick<RunTool, "asObservation">, written: string): string {
  return asObservation ? JSON.stringify(parseActionInput(written)) : written;
}
