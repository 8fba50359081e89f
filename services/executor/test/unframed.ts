const FRAME =
  /^<!-- TOOL_(OUTPUT|ERROR)_START [0-9a-f]{12} -->\n(?<text>[^]*)\n<!-- TOOL_\1_END [0-9a-f]{12} -->$/u;

/** A tool's words in a message to the model, without the frame around them. Throws if they have none. */
export function unframed(message: string): string {
  const text = FRAME.exec(message)?.groups?.["text"];
  if (text === undefined) throw new Error(`this has no frame: ${message}`);
  return text;
}
