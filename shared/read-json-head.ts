/**
 * The value of JSON of which the end may be missing: what is complete of it. Of several documents in a row the first one. Undefined for
 * a text that is none.
 */
export function readJsonHead(text: string): unknown {
  try {
    const value: unknown = JSON.parse(completed(text));
    return value;
  } catch {
    return undefined;
  }
}

/** The text up to the last complete member or element, with the brackets that close it. */
function completed(text: string): string {
  let closing = "";
  let isString = false;
  let end = { at: 0, closing: "" };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (isString) {
      if (character === "\\") at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') {
      isString = true;
    } else if (character === "{" || character === "[") {
      closing = `${character === "{" ? "}" : "]"}${closing}`;
      end = { at: at + 1, closing };
    } else if (character === "}" || character === "]") {
      closing = closing.slice(1);
      end = { at: at + 1, closing };
      if (closing === "") break;
    } else if (character === ",") {
      end = { at, closing };
    }
  }
  return text.slice(0, end.at) + end.closing;
}
