import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { testConfigDirectory } from "../../test/support/config-directory.ts";
import { toolCallRequest } from "../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../test/support/tool-fixture.ts";
import { until } from "../../test/support/until.ts";
import { BenchDatabase } from "./support/bench-database.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { describeMachine } from "./support/machine.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import {
  WAYS,
  renderToolCallReport,
  toolCallReport,
  type ToolCallReport,
  type Way,
} from "./tool-call/tool-call-report.ts";

const OPTIONS = { rounds: { fallback: 500, max: 100_000 } };
const WARM_UP = 30;
const COMMITS = 50;
const REPLY_MS = 30_000;
const SERVER = join(import.meta.dirname, "tool-call/server-process.ts");
const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/** What claim, gate, masking and record add to a call of an MCP server. */
export const toolCall: Benchmark = {
  summary: "one call of an MCP server: through the tool-runner against the SDK alone",
  usage: `usage: npm run bench -- tool-call [options]

  --rounds N     rounds of one call by each way, 1 to 100000 (500)
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const report = await measure(number("rounds"), context);
    context.print(renderToolCallReport(report));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  },
};

async function measure(rounds: number, context: BenchmarkContext): Promise<ToolCallReport> {
  const { signal, progress } = context;
  const startedAt = new Date();
  await using resources = new AsyncDisposableStack();
  progress("starting Postgres (durable), NATS and a tool-runner");
  const fixture = resources.use(await ToolFixture.start({}, { ownServers: true, durable: true }));
  const transport = { type: "stdio", command: process.execPath, args: [SERVER] };
  // `change` is not classified: it counts as a write, and is allowed.
  const lab = { transport, tools: { read_only: ["look"] } };
  const config = resources.use(await testConfigDirectory({ tarsy: { mcp_servers: { lab } } }));
  await fixture.runner({ CONFIG_DIR: config.path });
  const session = await fixture.session({ mcp_servers: ["lab"] });
  const client = resources.adopt(new Client({ name: "bench", version: "1" }), async (one) => one.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
  const db = resources.use(await BenchDatabase.open(fixture.servers.postgres.url));
  const machine = await describeMachine(fixture.servers, db);
  const calls: Record<Way, () => Promise<void>> = {
    sdk: async () => void (await client.callTool({ name: "look", arguments: {} })),
    read: async () => callByRunner(fixture, session, "lab.look"),
    write: async () => callByRunner(fixture, session, "lab.change"),
  };
  progress("warming up");
  await until("the tool-runner has listed the tools", async () => {
    await calls.read();
    return true;
  });
  const times: Record<Way, number[]> = { sdk: [], read: [], write: [] };
  const commits: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    if (round === 0) progress(`${rounds} rounds`);
    // In rotating order, so that other load on the machine and the call before affect all ways alike.
    for (const turn of WAYS.keys()) {
      signal.throwIfAborted();
      const way = WAYS[(turn + round + WARM_UP) % WAYS.length] ?? "sdk";
      const began = performance.now();
      await calls[way]();
      if (round >= 0) times[way].push(performance.now() - began);
    }
    if (round >= 0 && round % Math.ceil(rounds / COMMITS) === 0) {
      commits.push(...(await db.commitLatencies(1)));
    }
  }
  progress("stopping and removing everything");
  return toolCallReport({ startedAt, machine, times, commits });
}

/** Makes a call as an executor does. Throws unless the server's result came back. */
async function callByRunner({ bus }: ToolFixture, session: ClaimedSession, name: string): Promise<void> {
  const call = toolCallRequest(session, name, { arguments: "{}", timeout_ms: REPLY_MS });
  const { answer } = await request(bus, SUBJECTS.toolsCall, CONTRACT, call, REPLY_MS);
  if (answer.kind !== "result" || answer.is_error) {
    throw new Error(`the call of ${name} failed: ${JSON.stringify(answer)}`);
  }
}
