import { isJsonObject } from "#shared/json-object.ts";
import { parseJson } from "#shared/parse-json.ts";

/** The JSON object in a reply, whatever is around it; undefined without one. */
export function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Neither JSON nor nested within bounds: no object to read.
    return undefined;
  }
}
