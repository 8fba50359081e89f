// Its tools put thirty secrets into whatever a server can send.
import { env, stderr } from "node:process";
import { SECRET_STATEMENTS } from "../secret-statements.ts";
import { send, serveLines } from "./serve-lines.ts";

const ALL = SECRET_STATEMENTS.map(({ text }) => text).join("\n");
const texts = (...parts: string[]) => ({ content: parts.map((part) => ({ type: "text", text: part })) });
const half = Math.floor(ALL.length / 2);

/** By the name of the tool. */
const RESULTS: Readonly<Record<string, (args: object) => object>> = {
  text: () => texts(ALL),
  parts: () => texts(ALL.slice(0, half), ALL.slice(half)),
  split: () => texts("password: Hunter2", "SecretInTheSecondPart99"),
  lines: () => texts(...SECRET_STATEMENTS.map(({ text }) => text)),
  json: () => texts(JSON.stringify({ items: [{ log: ALL }] })),
  structured: () => ({ content: [], structuredContent: { log: ALL } }),
  both: () => ({ ...texts("see the structured content"), structuredContent: { messages: [ALL] } }),
  refused: () => ({ ...texts(ALL), isError: true }),
  resource: () => ({ content: [{ type: "resource", resource: { uri: "file:///log", text: ALL } }] }),
  link: () => ({
    content: [{ type: "resource_link", uri: "file:///log", name: ALL, mimeType: "text/plain" }],
  }),
  echo: (args) => texts(JSON.stringify(args)),
  environment: () => texts(JSON.stringify(env)),
  progress: () => texts("done"),
};

const tool = (name: string) => ({
  name,
  title: `title ${ALL}`,
  description: `does ${name}; ${ALL}`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: ALL } } },
  annotations: { readOnlyHint: true },
});

stderr.write(`${ALL}\n`);
await serveLines({
  name: "leaking",
  instructions: ALL,
  tools: () => [...Object.keys(RESULTS), "error", "death"].map(tool),
  call: ({ name = "", arguments: args = {}, _meta }) => {
    if (name === "death") {
      stderr.write(`${ALL}\n`, () => process.exit(1));
      return undefined;
    }
    if (name === "progress") {
      const params = {
        progressToken: _meta?.progressToken,
        progress: 1,
        total: 2,
        message: ALL.slice(0, 900),
      };
      send({ method: "notifications/progress", params });
      send({ method: "notifications/message", params: { level: "info", data: ALL } });
    }
    const result = RESULTS[name];
    return result === undefined
      ? { error: { code: -32_603, message: ALL, data: { log: ALL } } }
      : { result: result(args) };
  },
});
