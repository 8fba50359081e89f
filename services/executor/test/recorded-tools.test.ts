import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { toolCallId, type ToolCallRequest } from "#shared/contracts/tool-call.ts";
import { recordTools } from "#shared/database/record-tools.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { AnsweringRunner, listedTool } from "./answering-runner.ts";
import { RunFixture } from "./run-fixture.ts";

const TOOLS = ["pods", "broken", "throws", "slow", "lost", "denied", "large"].map((name) =>
  listedTool(`k8s.${name}`, { effect: "idempotent", read_only: false }),
);

/** One of each way in which a call may end, and a large result as a runner shows it. */
function answerOf({ name, call_id, arguments: text }: ToolCallRequest) {
  switch (name) {
    case "k8s.broken":
      return { answer: { kind: "result", content: "no such cluster", is_error: true } } as const;
    case "k8s.throws":
      return { answer: { kind: "exception", message: "connection refused" } } as const;
    case "k8s.slow":
      return { answer: { kind: "timeout", message: "timed out after 60 s" } } as const;
    case "k8s.lost":
      return { answer: { kind: "outcome_unknown", message: "the tool-runner stopped" } } as const;
    case "k8s.denied":
      return { answer: { kind: "refused", reason: "tool_changed" } } as const;
    case "k8s.large":
      return { answer: { kind: "result", content: `[part of ${call_id}]`, is_error: false } } as const;
    default:
      return { answer: { kind: "result", content: `pods of ${text}`, is_error: false } } as const;
  }
}

type Call = readonly [name: string, args: object];

describe("a session with recorded tools", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const play = async (answers: readonly (readonly Call[])[]): Promise<void> =>
    fixture.play(
      ...answers.map((calls, n) => ({
        when: { call: n + 1 },
        steps: calls.map(([name, args]) => ({ tool_call: { name: `k8s.${name}`, arguments: args } })),
      })),
      { steps: [{ text: "it was the memory" }] },
    );

  /** The executor's role only reads what is recorded. */
  const asOwner: Queryable = {
    query: async (sql, parameters = []) => fixture.executor.query(sql, parameters),
  };

  const executionOf = (id: string): string => uuidFrom("execution:1", uuidFrom("stage:1", id));

  /** Runs a session with a runner that answers; `kept` says which of its calls keep a whole text. */
  const runLive = async (kept: readonly { iteration: number; index: number }[] = []): Promise<string> => {
    using _ = await AnsweringRunner.start(fixture.executor.bus, {
      listing: {
        tools: TOOLS,
        left_out: [{ server: "k8s", message: "2 tools are left out; they are broken" }],
      },
      answer: answerOf,
    });
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    for (const place of kept) {
      await fixture.executor.query(
        "INSERT INTO tool_results (call_id, session_id, bytes, lines, content) VALUES ($1, $2, 9, 2, 'the\nwhole')",
        [toolCallId(executionOf(id), place), id],
      );
    }
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };

  /** Runs a session that is answered from what another has recorded, without any runner. */
  const runRecorded = async (
    source: string,
    change: (id: string) => Promise<unknown> = async () => Promise.resolve(),
  ): Promise<string> => {
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    await fixture.executor.query("UPDATE alert_sessions SET tools_mode = 'recorded' WHERE session_id = $1", [
      id,
    ]);
    const executions = { [executionOf(source)]: executionOf(id) };
    await recordTools(asOwner, { source, target: id, executions });
    await change(id);
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };

  const messages = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      "SELECT role, content, tool_name FROM messages WHERE session_id = $1 ORDER BY sequence_number",
      [id],
    );
  const results = async (id: string): Promise<readonly string[]> => {
    const rows = await fixture.executor.query(
      "SELECT tool_result ->> 'content' AS content FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call' ORDER BY created_at, (outcome ->> 'index')::int",
      [id],
    );
    return rows.map((row) => JSON.stringify(row));
  };
  const records = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      `SELECT interaction_type, server_name, tool_name, tool_arguments, tool_result, available_tools, error_message, outcome
       FROM mcp_interactions WHERE session_id = $1 ORDER BY interaction_type, server_name, outcome ->> 'iteration', outcome ->> 'index'`,
      [id],
    );

  it("gets every outcome again, word for word, and asks no tool-runner", async () => {
    await play([
      [
        ["pods", { ns: "shop" }],
        ["broken", {}],
      ],
      [["throws", {}]],
      [["slow", {}]],
      [["lost", {}]],
      [["denied", {}]],
      [["nothing", {}]],
      [["pods", { ns: "shop" }]],
    ]);
    const source = await runLive();
    const repeated = await runRecorded(source);
    expect(await messages(repeated)).to.deep.equal(await messages(source));
    expect(await records(repeated)).to.deep.equal(await records(source));
    const calls = await fixture.executor.query("SELECT FROM tool_calls WHERE session_id = $1", [repeated]);
    expect(calls).to.deep.equal([]);
    expect(await fixture.executor.row("alert_sessions", "degraded", repeated)).to.deep.equal({
      degraded: false,
    });
  });

  it("gets the call of the same place first, then the next one with the same arguments, and the last one again", async () => {
    let made = 0;
    const counted = async (): Promise<string> => {
      using _ = await AnsweringRunner.start(fixture.executor.bus, {
        listing: { tools: TOOLS },
        answer: () => ({ answer: { kind: "result", content: `answer ${(made += 1)}`, is_error: false } }),
      });
      const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
      expect(await fixture.run(id)).to.equal("completed");
      return id;
    };
    const pods: Call = ["pods", { a: 1, b: { c: 1.0, d: [] } }];
    await play([[pods], [pods], [["slow", {}]]]);
    const source = await counted();
    // The second request is at the place of the second recorded call.
    await play([[["slow", {}]], [["pods", { b: { d: [], c: 1 }, a: 1 }]], [pods], [pods]]);
    const texts = await results(await runRecorded(source));
    expect(texts.map((text) => /answer \d/u.exec(text)?.[0])).to.deep.equal([
      "answer 3",
      "answer 2",
      "answer 1",
      "answer 2",
    ]);
  });

  it("tells the model that nothing is recorded for other arguments", async () => {
    await play([[["pods", { ns: "shop" }]]]);
    const source = await runLive();
    await play([[["pods", { ns: "other" }]]]);
    const [text] = await results(await runRecorded(source));
    expect(text).to.contain(
      'no call of \\"k8s.pods\\" with these arguments is recorded; the call was not made',
    );
  });

  it("keeps the whole text of a large result under the id of its own call", async () => {
    await play([[["large", {}]]]);
    const source = await runLive([{ iteration: 1, index: 0 }]);
    await play([[["pods", {}]], [["large", {}]]]);
    const id = await runRecorded(source);
    const callId = toolCallId(executionOf(id), { iteration: 2, index: 0 });
    expect((await results(id))[1]).to.contain(`[part of ${callId}]`);
    const kept = await fixture.executor.query(
      "SELECT call_id, content FROM tool_results WHERE session_id = $1",
      [id],
    );
    expect(kept).to.deep.equal([{ call_id: callId, content: "the\nwhole" }]);
  });

  it("goes on without the tools of a server of which no listing is recorded", async () => {
    await play([[["pods", {}]]]);
    const source = await runLive();
    await play([]);
    const id = await runRecorded(source, async (target) =>
      fixture.executor.query("DELETE FROM recorded_tool_lists WHERE session_id = $1", [target]),
    );
    expect(await fixture.executor.row("alert_sessions", "degraded", id)).to.deep.equal({ degraded: true });
  });
});
