import { StringDecoder } from "node:string_decoder";

const maxLine = 64 * 1024;

/**
 * Turns the chunks of a service's output into whole lines for `onLine` (without line end; one over 64 Ki characters
 * is cut into several). Returns what takes a chunk, and what flushes the rest at the end.
 */
export function splitLines(onLine: (line: string) => void): {
  push: (chunk: Buffer) => void;
  end: () => void;
} {
  // A character may come in two chunks.
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    push: (chunk) => {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
      for (; rest.length > maxLine; rest = rest.slice(maxLine)) onLine(rest.slice(0, maxLine));
    },
    end: () => {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}
