/**
 * The output of a server as the client library is to get it: the text of one message or several. What has been taken for it may be
 * moved.
 */
export type ReadMessages = (text: string, held?: DisposableStack) => string;

const encoder = new TextEncoder();

/** The text of a body. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** A stream of events, event by event. The last one may lack the empty line at its end. */
export async function* readableEvents(
  body: AsyncIterable<Uint8Array>,
  read: ReadMessages,
  held: DisposableStack,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let event: string[] = [];
  let line = "";
  let isAfterReturn = false;
  const ended = () => {
    const whole = eventText(event, (text) => read(text, held));
    event = [];
    return encoder.encode(whole);
  };
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    // A line may end with a return, a newline or both, which two chunks may split.
    const lines = (isAfterReturn && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\n|\r/u);
    isAfterReturn = text.endsWith("\r") || (isAfterReturn && text === "");
    for (const [index, piece] of lines.entries()) {
      line += piece;
      if (index === lines.length - 1) break;
      if (line !== "") event.push(line);
      else if (event.length > 0) yield ended();
      line = "";
    }
  }
  if (line !== "") event.push(line);
  if (event.length > 0) yield ended();
}

function eventText(lines: readonly string[], read: ReadMessages): string {
  const isData = (line: string) => /^data(?::|$)/u.test(line);
  const type =
    lines
      .findLast((line) => line.startsWith("event:"))
      ?.slice("event:".length)
      .trim() ?? "";
  const data = lines.filter(isData).map((line) => line.replace(/^data:? ?/u, ""));
  const isMessage = data.length > 0 && (type === "" || type === "message");
  const written = isMessage
    ? [
        ...lines.filter((line) => !isData(line)),
        ...read(data.join("\n"))
          .split(/\r\n|\n|\r/u)
          .map((line) => `data: ${line}`),
      ]
    : lines;
  return `${written.join("\n")}\n\n`;
}
