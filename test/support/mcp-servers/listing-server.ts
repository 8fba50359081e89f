// Its tools are those of the JSON file in its first argument, read with each list. A call answers with the tool's name and its
// arguments.
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { parseJson } from "#shared/parse-json.ts";
import { serveLines, textResult } from "./serve-lines.ts";

await serveLines({
  name: "listing",
  tools: () => parseJson(readFileSync(argv[2] ?? "", "utf8")),
  call: ({ name, arguments: args = {} }) => textResult(`${name} ${JSON.stringify(args)}`),
});
