// A server of the older era over standard streams that misbehaves as calls of its tools ask. It writes the calls and
// cancels it gets to the file in CALLS.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { argv, env, execPath, exit, stderr, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const mode = argv[2] ?? "";
const Params = Type.Object({
  protocolVersion: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  requestId: Type.Optional(Type.Unknown()),
  name: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.Record(Type.String(), Type.Number())),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
type Params = Type.Static<typeof Params>;
const parseMessage = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(Params),
    error: Type.Optional(Type.Object({ code: Type.Number() })),
  }),
);

/** What a server may ask a client. */
const REQUESTS = ["ping", "sampling/createMessage", "elicitation/create", "roots/list"];
const answersToMine: Record<string, unknown> = {};
let nonsenseId: number | string | undefined;

const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const log = (line: string) => env["CALLS"] && appendFileSync(env["CALLS"], `${line}\n`);
const text = (content: string) => ({ content: [{ type: "text", text: content }] });
let listed = 0;

if (mode === "exit-at-start") {
  stderr.write("no such cluster\n");
  exit(3);
}
if (mode === "leak-at-start") {
  stderr.write(`${"noise ".repeat(3_000)}\npassword=hunter2-of-the-log token: ${env["TOKEN"]}\n`);
  exit(3);
}
if (mode === "stubborn") process.on("SIGTERM", () => {});
const forever = setInterval(() => {}, 60_000);
if (mode !== "stubborn") stdin.on("end", () => clearInterval(forever));

const tool = (name: string, more = {}) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: "object" },
  ...more,
});

function page(cursor: string | undefined): object {
  listed += 1;
  switch (mode) {
    case "endless-pages":
      return { tools: [tool(`t${listed}`)], nextCursor: `${listed}` };
    case "hanging":
      return { tools: [tool("echo"), tool("hang")] };
    case "pids":
      return { tools: [tool("pid")] };
    case "repeating-pages":
      return { tools: [tool(cursor ?? "first")], nextCursor: "again" };
    case "changing":
      return { tools: [tool("echo", { description: `version ${listed}` })] };
    case "leaky": {
      const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
      const properties = { token: { type: "string", default: secret }, note: { description: env["TOKEN"] } };
      return {
        tools: [
          tool("echo", {
            title: `echo with ${secret}`,
            description: `call it with password=hunter2-of-the-text and ${env["TOKEN"]}`,
            inputSchema: { type: "object", properties },
          }),
        ],
      };
    }
    case "two-pages":
      return cursor === undefined
        ? { tools: [tool("first")], nextCursor: "2" }
        : { tools: [tool("second", { annotations: { readOnlyHint: true } })] };
    default:
      return {
        tools: [
          tool("echo"),
          tool("admin.tools.list"),
          tool("look", { annotations: { readOnlyHint: true } }),
        ],
      };
  }
}

/** Answers that are none of the protocol, by the name of the tool. */
const INVALID: Readonly<Record<string, (id: string) => string>> = {
  "broken-json": (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","te\n`,
  "broken-without-id": () => '{"jsonrpc":"2.0","result":{"content":[{"type":"text","te\n',
  "null-result": (id) => `{"jsonrpc":"2.0","id":${id},"result":null}\n`,
  "result-and-error": (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"y"}}\n`,
  "wrong-id": () => '{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}\n',
};

function writeInvalid(name: string, id: number | string): void {
  stdout.write(INVALID[name]?.(JSON.stringify(id)) ?? "");
}

/** The result of a call; undefined for none. */
function result(name: string, args: Record<string, number>): object | undefined {
  switch (name) {
    case "echo":
      return text(JSON.stringify(args));
    case "pid":
      return text(String(process.pid));
    case "environment":
      return text(JSON.stringify(env));
    case "big":
      return text("x".repeat(args["bytes"] ?? 0));
    case "nonsense": {
      for (const id of ["null", "{}", "[1]", "true", "1e400"]) {
        stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
      }
      for (const id of [0, 0, "x", "x"]) send({ id, result: text("unasked") });
      const notice = { method: "notifications/message", params: { level: "info", data: "noise" } };
      for (let i = 0; i < 1_000; i += 1) send(notice);
      for (const method of REQUESTS) send({ id: `mine ${method}`, method, params: {} });
      return undefined;
    }
    case "announce":
      send({ method: "notifications/tools/list_changed" });
      return text("announced");
    case "die":
      return exit(7);
    case "hang":
      return undefined;
    case "garbage":
      stdout.write("this is no message\n{broken\n\n[]\n");
      return text("after garbage");
    case "flood":
      for (let i = 0; i < 200; i += 1) stderr.write(`${"noise ".repeat(10_000)}\n`);
      return text("after the flood");
    case "endless": {
      const more = () => stdout.write("y".repeat(1024 * 1024), more);
      more();
      return undefined;
    }
    case "fork":
      return text(String(spawn(execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }).pid));
    default:
      return name in INVALID ? undefined : text(name);
  }
}

function progress(id: number | string, { arguments: args = {}, _meta = {} }: Params): void {
  const { steps = 1, delayMs = 1 } = args;
  let step = 0;
  const timer = setInterval(() => {
    step += 1;
    if (step <= steps) {
      const params = { progressToken: _meta["progressToken"], progress: step, total: steps };
      send({ method: "notifications/progress", params });
      return;
    }
    clearInterval(timer);
    send({ id, result: text(`${steps} steps`) });
  }, delayMs);
}

createInterface({ input: stdin }).on("line", (line) => {
  const { id, method, params = {}, error } = parseMessage(JSON.parse(line));
  if (typeof id === "string" && id.startsWith("mine ")) {
    answersToMine[id.slice("mine ".length)] = error?.code ?? "result";
    if (Object.keys(answersToMine).length === REQUESTS.length) {
      send({ id: nonsenseId, result: text(JSON.stringify(answersToMine)) });
    }
    return;
  }
  if (method === "notifications/cancelled") log(`cancelled ${String(params.requestId)}`);
  if (id === undefined || mode === "silent") return;
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      const serverInfo = { name: "hostile", version: "1" };
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
      return;
    }
    case "tools/list":
      send({ id, result: page(params.cursor) });
      return;
    case "tools/call": {
      const { name = "", arguments: args = {} } = params;
      log(`call ${name} ${String(params._meta?.["tarsy/call-id"])}`);
      if (name === "nonsense") nonsenseId = id;
      if (name === "progress") {
        progress(id, params);
        return;
      }
      writeInvalid(name, id);
      const answer = result(name, args);
      if (answer !== undefined) send({ id, result: answer });
      return;
    }
    default:
      send({ id, error: { code: -32601, message: `no method ${method ?? ""}` } });
  }
});
