// An MCP server over standard streams whose tool `walk` reports its progress until the file that its argument names is there.
import { access } from "node:fs/promises";
import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Id = Type.Union([Type.Number(), Type.String()]);
const parseMessage = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Id),
    method: Type.Optional(Type.String()),
    params: Type.Optional(
      Type.Object({
        protocolVersion: Type.Optional(Type.String()),
        arguments: Type.Optional(Type.Object({ until: Type.Optional(Type.String()) })),
        _meta: Type.Optional(Type.Object({ progressToken: Type.Optional(Id) })),
      }),
    ),
  }),
);

const STEP_MS = 100;
/** Ends a walk that no call ends. */
const MAX_STEPS = 3_000;
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

async function walk(until: string, progressToken: string | number | undefined): Promise<void> {
  for (let progress = 1; progress <= MAX_STEPS; progress += 1) {
    const params = { progressToken, progress, total: MAX_STEPS, message: `step ${progress}` };
    send({ method: "notifications/progress", params });
    const isThere = await access(until).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await wait(STEP_MS);
  }
}

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params = {} } = parseMessage(JSON.parse(line));
  if (method === "initialize") {
    const protocolVersion = params.protocolVersion ?? "2025-06-18";
    const serverInfo = { name: "walking", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    send({
      id,
      result: { tools: [{ name: "walk", description: "walks", inputSchema: { type: "object" } }] },
    });
  } else if (method === "tools/call") {
    await walk(params.arguments?.until ?? "", params._meta?.progressToken);
    send({ id, result: { content: [{ type: "text", text: "arrived" }] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32_601, message: `no method ${method}` } });
  }
}
