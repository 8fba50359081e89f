import { errorMessage } from "#shared/errors.ts";

/** The arguments of a call as an object; a text for the model if they are none. No text at all stands for no arguments. */
export function parseArguments(text: string): Record<string, unknown> | string {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `The arguments are not valid JSON: ${errorMessage(error)}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "The arguments must be a JSON object.";
  }
  return { ...value };
}
