import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { RunTool } from "../controllers/controller.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { coerceArguments } from "./coerce-arguments.ts";

/**
 * A call's arguments as the tool-runner gets them: those written as text are parsed first and brought to the types of the
 * tool's schema, structured ones stay as they are.
 */
export function callArguments(
  { call, asObservation }: Pick<RunTool, "call" | "asObservation">,
  written: string,
  tools: readonly ToolDescription[] | null,
): string {
  if (!asObservation) return written;
  const tool = tools?.find(({ name }) => name === call.name);
  return JSON.stringify(coerceArguments(parseActionInput(written), tool?.parameters_schema ?? ""));
}
