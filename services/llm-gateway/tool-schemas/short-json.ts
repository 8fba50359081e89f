import { cutText } from "./cut-text.ts";

/** A value as JSON for a person or a model to read, cut if it is long. */
export function shortJson(value: unknown): string {
  return cutText(JSON.stringify(value) ?? "", 200);
}
