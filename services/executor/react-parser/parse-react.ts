import { decide } from "./decide.ts";
import { readSections } from "./line-machine.ts";
import type { ParsedReact } from "./parsed-react.ts";

export type { ParsedReact } from "./parsed-react.ts";

/**
 * Reads a model's complete ReAct text: its thought and either the tool call it asks for or its final answer, or why
 * it is neither. Forgiving about layout and markdown, never throws, and takes time linear in the text.
 */
export function parseReact(text: string): ParsedReact {
  const unix = text.replaceAll("\r\n", "\n");
  return decide(unix, readSections(unix));
}
