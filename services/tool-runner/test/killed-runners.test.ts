import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  attemptId,
  toolCallId,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
} from "#shared/contracts/tool-call.ts";
import { RetryableError } from "#shared/errors.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { postgresTap } from "../../../test/support/postgres-tap.ts";
import { serverDirectory } from "../../../test/support/server-directory.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { hostile } from "../mcp/test/server-fixture.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
type Runner = Awaited<ReturnType<ToolFixture["runner"]>>;

/** Where a runner is killed: at a statement before it reaches Postgres, after its commit, or when the server has the call. */
interface KillPoint {
  readonly name: string;
  readonly sql?: RegExp;
  readonly isAfter?: boolean;
  /** How often the server gets a call of each effect. */
  readonly calls: { readonly read: number; readonly write: number };
  /** Of a call that must not be repeated. */
  readonly write: string;
}

const CLAIM = /INSERT INTO tool_calls/u;
const SENDING = /SET phase = 'sending'/u;
const RECORD = /SET state = \$2, result/u;
const POINTS: readonly KillPoint[] = [
  { name: "before the claim", sql: CLAIM, calls: { read: 1, write: 1 }, write: "result" },
  { name: "after the claim", sql: CLAIM, isAfter: true, calls: { read: 1, write: 1 }, write: "result" },
  { name: "before it is announced", sql: SENDING, calls: { read: 1, write: 1 }, write: "result" },
  {
    name: "after it is announced",
    sql: SENDING,
    isAfter: true,
    calls: { read: 1, write: 0 },
    write: "outcome_unknown",
  },
  { name: "while the server has it", calls: { read: 2, write: 1 }, write: "outcome_unknown" },
  {
    name: "before the outcome is recorded",
    sql: RECORD,
    calls: { read: 2, write: 1 },
    write: "outcome_unknown",
  },
  {
    name: "after the outcome is recorded",
    sql: RECORD,
    isAfter: true,
    calls: { read: 1, write: 1 },
    write: "result",
  },
];

describe("a call to an MCP server whose runner is killed", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let configDir: string;
  let env: Readonly<Record<string, string>>;
  let runner: Runner;
  /** Kills the runner at this statement. */
  let armed: KillPoint | undefined;

  before(async () => {
    fixture = resources.use(await ToolFixture.start({}));
    configDir = await serverDirectory();
    const lab = hostile("hanging", { CALLS: join(configDir, "calls") });
    if (lab.type !== "stdio") throw new Error("no command");
    const { type, command, args } = lab;
    const transport = { type, command, args: [...args], env: { ...lab.env } };
    const servers = { read: { transport, tools: { read_only: ["*"] } }, write: { transport } };
    await writeFile(
      join(configDir, "tarsy.yaml"),
      stringify({ defaults: { llm_provider: "test" }, mcp_servers: servers }),
    );
    const provider = { type: "scripted", script: "llm-providers.yaml", model: "m" };
    await writeFile(join(configDir, "llm-providers.yaml"), stringify({ llm_providers: { test: provider } }));
    await writeFile(join(configDir, "calls"), "");
    const url = new URL(fixture.servers.postgres.serviceUrls["tool-runner"]);
    const kill = (sql: string, isAfter: boolean) => {
      const isHere = armed?.sql?.test(sql) === true && (armed.isAfter ?? false) === isAfter;
      if (!isHere) return "forward";
      armed = undefined;
      void runner.end("SIGKILL");
      return "hold";
    };
    const proxy = resources.use(
      await TcpProxy.start({
        host: url.hostname,
        port: Number(url.port),
        tap: () => postgresTap({ asked: (sql) => kill(sql, false), answered: (sql) => kill(sql, true) }),
      }),
    );
    env = { CONFIG_DIR: configDir, DATABASE_URL: proxy.leadTo(url.href) };
    runner = await fixture.runner(env);
  });
  after(async () => resources.disposeAsync());

  const made = async (text: string): Promise<string[]> =>
    (await readFile(join(configDir, "calls"), "utf8")).split("\n").filter((line) => line.includes(text));

  for (const point of POINTS) {
    for (const effect of ["read", "write"] as const) {
      // A repeatable call is not announced.
      if (effect === "read" && point.sql === SENDING) continue;
      // One sample of the repeatable calls: they are decided by the same rows.
      if (effect === "read" && point.sql !== undefined && !NIGHTLY) continue;
      it(`${point.name}: ${effect}`, async () => {
        const session = await fixture.session({ mcp_servers: ["read", "write"] });
        const position = { iteration: 1, index: 0 };
        const first = toolCallId(session.executionId, position);
        const ids: string[] = [];
        const ask = async (
          attempt: number,
          tool: string,
          replyMs = 7_000,
        ): Promise<ToolCallAnswer | undefined> => {
          const call_id = attemptId(first, attempt);
          if (!ids.includes(call_id)) ids.push(call_id);
          const body = toolCallRequest(session, `${effect}.${tool}`, {
            position: { ...position, attempt },
            arguments: "{}",
          });
          try {
            return (await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, body, replyMs)).answer;
          } catch (error) {
            if (error instanceof RetryableError) return undefined;
            throw error;
          }
        };
        armed = point.sql === undefined ? undefined : point;
        const tool = point.sql === undefined ? "hang" : "echo";
        const victim = runner;
        let attempt = 1;
        const dying = ask(attempt, tool, 1_500);
        if (point.sql === undefined) {
          await until("the server has it", async () => (await made(first)).length > 0, 60_000);
          await victim.end("SIGKILL");
        } else {
          await until(
            "the runner is killed",
            async () => {
              if (armed !== undefined) await ask(attempt, tool); // its server had not listed its tools yet
              return armed === undefined;
            },
            60_000,
          );
          await victim.end("SIGKILL");
        }
        runner = await fixture.runner(env);
        // As an executor does it.
        const outcome = await until(
          "the call is over",
          async () => {
            await fixture.forgetRunner(attemptId(first, attempt));
            if (point.sql === undefined && attempt > 1) {
              // The tool never answers: that it was made again is enough.
              void ask(attempt, tool);
              return (await made(attemptId(first, attempt))).length > 0 ? { kind: "made again" } : undefined;
            }
            const answer = await ask(attempt, tool);
            if (answer?.kind === "interrupted") attempt += 1;
            const isOver = !["running", "busy", "interrupted", undefined].includes(answer?.kind);
            return isOver ? answer : undefined;
          },
          60_000,
        );
        if (point.sql === undefined && effect === "read") expect(outcome?.kind).to.equal("made again");
        else expect(outcome?.kind).to.equal(effect === "read" ? "result" : point.write);
        await dying;
        const lines = (await Promise.all(ids.map(made))).flat();
        expect(lines).to.have.length(point.calls[effect]);
        if (effect === "write") expect(lines.length).to.be.at.most(1);
      });
    }
  }
});
