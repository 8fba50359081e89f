// A server with one tool; it writes the `_meta` of each call as a line into the file of its argument.
import { appendFileSync } from "node:fs";
import { argv } from "node:process";
import { serveLines, textResult } from "./serve-lines.ts";

await serveLines({
  name: "telling",
  tools: () => [
    {
      name: "look",
      description: "looks",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      annotations: { readOnlyHint: true },
    },
  ],
  call: ({ arguments: args = {}, _meta = {} }) => {
    appendFileSync(argv[2] ?? "", `${JSON.stringify(_meta)}\n`);
    return textResult(`seen ${String(args["text"])}`);
  },
});
