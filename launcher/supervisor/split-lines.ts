import { StringDecoder } from "node:string_decoder";

const maxLine = 64 * 1024;

/**
 * Splits the chunks of a service's output into lines and calls `onLine` with each, without the line end. A line over
 * 64 Ki characters is split. `push` takes a chunk; `end` flushes the last line.
 */
export function splitLines(onLine: (line: string) => void): {
  push: (chunk: Buffer) => void;
  end: () => void;
} {
  // A character may be split between two chunks.
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
