import { Ajv } from "ajv";
import { errorMessage } from "#shared/errors.ts";

/** Returns what is wrong with a call's arguments, worded for the model; undefined if they are valid. */
export type ArgumentsTextCheck = (args: string) => string | undefined;

/** Compiles a tool's JSON Schema from JSON text. Throws if it is invalid or does not describe an object. */
export function compileArguments(schemaText: string): ArgumentsTextCheck {
  const schema: unknown = JSON.parse(schemaText);
  if (typeof schema !== "object" || schema === null || !("type" in schema) || schema.type !== "object") {
    throw new Error("a tool's arguments are an object");
  }
  // Not strict: schemas of real tools have their own keywords and formats, and a stub may copy them.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const isValid = ajv.compile(schema);
  return (args) => {
    let value: unknown;
    try {
      value = JSON.parse(args === "" ? "{}" : args);
    } catch (error) {
      return `The arguments are not a JSON object: ${errorMessage(error)}.`;
    }
    if (isValid(value)) return undefined;
    return `The arguments do not match the tool's parameters: ${ajv.errorsText(isValid.errors, { dataVar: "arguments" })}.`;
  };
}
