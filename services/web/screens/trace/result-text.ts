/** A tool's result as text: its content, indented where it is JSON; undefined without a result. */
export function resultText(result: unknown): string | undefined {
  if (result === undefined || result === null) return undefined;
  const isFramed = typeof result === "object" && "content" in result && typeof result.content === "string";
  const text = isFramed ? String(result.content) : JSON.stringify(result);
  return indented(text);
}

/** A text that is one JSON object or list, with line breaks; any other text as it is. */
function indented(text: string): string {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value, undefined, 2);
  } catch {
    // Only looks like JSON.
    return text;
  }
}
