import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { answerTurn, callTurn, type Strategy } from "./scripted-turns.ts";

const BYTES = 600_000;
/** Takes for ever on a line of 1,000 equal characters. */
const ENDLESS = "(x+x+)+y";

/** The id under which the result of a session's first call is kept. */
const handleOf = (sessionId: string) =>
  toolCallId(uuidFrom("execution:1", uuidFrom("stage:1", sessionId)), { iteration: 1, index: 0 });

/** A call with a large result, then calls that read on in it, with each way to write their name. */
const script = (strategy: Strategy, id: string) => [
  callTurn(strategy, 1, "k8s.large", {}),
  callTurn(strategy, 2, "tarsy.result_read", { id, from_line: 600, lines: 5 }),
  callTurn(strategy, 3, "google:tarsy.result_search", { id, pattern: "^x{999}", regex: true }),
  callTurn(strategy, 4, "result_json", { id, path: "a" }),
  answerTurn(strategy),
];

describe("a large tool result", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** All rows of a session without ids, times and durations. */
  const rows = async (id: string): Promise<unknown> => {
    const found = {
      timeline: await fixture.timelineRows(id),
      messages: await fixture.executor.query(
        "SELECT role, content, tool_name FROM messages WHERE session_id = $1 ORDER BY sequence_number",
        [id],
      ),
      interactions: await fixture.executor.query(
        `SELECT interaction_type::text, server_name, tool_name, tool_arguments::text, tool_result::text, error_message
         FROM mcp_interactions WHERE session_id = $1 ORDER BY 1, 2, 3`,
        [id],
      ),
      kept: await fixture.executor.query(
        "SELECT call_id, bytes, lines, length(content) AS chars FROM tool_results WHERE session_id = $1",
        [id],
      ),
      log: await fixture.eventLog(id),
    };
    const text = JSON.stringify(found).replaceAll(handleOf(id), "HANDLE");
    return JSON.parse(text);
  };
  const results = async (id: string) =>
    fixture.executor.query(
      `SELECT (metadata ->> 'duration_ms')::int = (SELECT duration_ms FROM mcp_interactions i
                WHERE i.interaction_id = t.mcp_interaction_id) AS is_timed,
              metadata ->> 'server_name' AS server, metadata ->> 'tool_name' AS tool, (metadata ->> 'is_error')::boolean AS is_error,
              left(content, 120) AS start, length(content) AS chars
       FROM timeline_events t WHERE session_id = $1 AND event_type = 'tool_result' ORDER BY sequence_number`,
      [id],
    );

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`is shown in part, kept once and read on: ${strategy}`, async () => {
      const options = { strategy, servers: ["k8s"] };
      const insert = async () => {
        const id = await fixture.executor.insert(options);
        await fixture.play(...script(strategy, handleOf(id)));
        return id;
      };
      const undisturbed = await insert();
      const called = await fixture.tools.calls();
      expect(await fixture.run(undisturbed)).to.equal("completed");
      expect(await fixture.tools.calls()).to.equal(called + 1);
      const shown = await results(undisturbed);
      expect(shown.slice(1)).to.deep.equal([
        {
          server: "tarsy",
          tool: "result_read",
          is_timed: true,
          is_error: false,
          start: `[Lines 600 to 600 of 600]\n${"x".repeat(94)}`,
          chars: 1_026,
        },
        {
          server: "tarsy",
          tool: "result_search",
          is_timed: true,
          is_error: false,
          start: `[600 hits in 600 lines; shown are those up to line 19, ask for less to see others]\n1: ${"x".repeat(34)}`,
          chars: 19_168,
        },
        {
          server: "tarsy",
          tool: "result_json",
          is_timed: true,
          is_error: true,
          start: "The result is not JSON, or only its start is kept: use result_read or result_search.",
          chars: 84,
        },
      ]);
      expect(shown[0]).to.have.property("chars").that.is.within(19_000, 20_000);
      const expected = await rows(undisturbed);
      expect(expected).to.deep.include({
        kept: [{ call_id: "HANDLE", bytes: BYTES, lines: 600, chars: BYTES }],
      });
    });
  }

  it("is not found by another session, and an endless pattern is given up", async () => {
    const first = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    const id = handleOf(first);
    await fixture.play(
      callTurn("react", 1, "k8s.large", {}),
      callTurn("react", 2, "tarsy.result_search", { id, pattern: ENDLESS, regex: true }),
      answerTurn("react"),
    );
    expect(await fixture.run(first)).to.equal("completed");
    expect((await results(first)).at(-1)).to.deep.include({
      is_timed: true,
      is_error: true,
      start:
        "This took more than 1 s and was given up; use a simpler pattern, or one that is no regular expression.",
    });
    const second = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    await fixture.play(callTurn("react", 1, "tarsy.result_read", { id }), answerTurn("react"));
    expect(await fixture.run(second)).to.equal("completed");
    expect((await results(second)).at(-1)).to.deep.include({
      is_timed: true,
      is_error: true,
      start: `not found: this session keeps no large result with the id "${id}"`,
    });
  });

  it("offers no built-in tool to an agent without other tools", async () => {
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: [] });
    await fixture.play(
      callTurn("native-thinking", 1, "tarsy.result_read", { id }),
      answerTurn("native-thinking"),
    );
    expect(await fixture.run(id)).to.equal("completed");
    expect((await results(id)).at(-1)).to.deep.include({
      start: 'Error executing tool: unknown tool "tarsy.result_read"',
    });
  });
});
