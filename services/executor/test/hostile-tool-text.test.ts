import { expect } from "chai";
import { serveRequests } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { RunFixture } from "./run-fixture.ts";

const HOSTILE = { "k\0\ud800": ["a\0b", "\0\ud800", { "\0": 1 }] };
const STORED = { "k\uFFFD\uFFFD": ["a\uFFFDb", "\uFFFD\uFFFD", { "\uFFFD": 1 }] };
const ANSWER = { steps: [{ text: "Thought: enough\nFinal Answer: it was the memory" }] };

/** For each strategy: a call with text that Postgres refuses in its arguments, then the answer. */
const CALLS = {
  react: {
    text: `Thought: look\nAction: k8s.pods\nAction Input: ${JSON.stringify(HOSTILE).replaceAll("\0", "\\u0000")}`,
  },
  "native-thinking": { tool_call: { name: "k8s.pods", arguments: HOSTILE } },
} as const;

describe("text that Postgres refuses", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let tool = { name: "k8s.pods", description: "lists pods", parameters_schema: '{"type":"object"}' };

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    const { bus } = fixture.executor;
    const subscriptions = [
      serveRequests(
        bus,
        { subject: SUBJECTS.toolsList },
        { request: toolListRequestCodec, reply: toolListReplyCodec },
        () => ({ tools: [{ ...tool, server: "k8s", read_only: true }] }),
      ),
      serveRequests(
        bus,
        { subject: SUBJECTS.toolsCall },
        { request: toolCallRequestCodec, reply: toolCallReplyCodec },
        ({ call_id, arguments: received }) => ({
          call_id,
          answer: { kind: "result" as const, content: `called with ${received} \0\ud800`, is_error: false },
        }),
      ),
    ];
    for (const subscription of subscriptions) {
      resources.defer(() => subscription.unsubscribe());
      await subscription.live();
    }
  });
  after(() => resources.disposeAsync());

  const interactions = async (id: string) =>
    fixture.executor.query(
      `SELECT interaction_type::text AS type, tool_arguments AS arguments, available_tools AS tools
       FROM mcp_interactions WHERE session_id = $1 ORDER BY created_at`,
      [id],
    );

  for (const [strategy, call] of Object.entries(CALLS)) {
    it(`is replaced in the arguments that a ${strategy} agent's model writes, and the session completes`, async () => {
      await fixture.play({ when: { call: 1 }, steps: [call] }, ANSWER);
      const id = await fixture.executor.insert({
        strategy: strategy === "react" ? "react" : "native-thinking",
        servers: ["k8s"],
      });
      expect(await fixture.run(id)).to.equal("completed");
      expect((await interactions(id)).at(-1)).to.deep.include({ type: "tool_call", arguments: STORED });
      const [row] = await fixture.executor.query(
        `SELECT t.metadata -> 'arguments' AS stored, e.payload -> 'metadata' -> 'arguments' AS sent
         FROM timeline_events t JOIN events e ON e.payload ->> 'event_id' = t.event_id::text
         WHERE t.session_id = $1 AND t.event_type = 'llm_tool_call'`,
        [id],
      );
      expect(row).to.deep.equal({ stored: STORED, sent: STORED });
    });
  }

  it("is replaced in a listing of tools, and the session completes", async () => {
    const usual = tool;
    tool = { name: "k8s.a\0b", description: "\ud800", parameters_schema: '{"type":"object","title":"\0"}' };
    await fixture.play(ANSWER);
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect((await interactions(id))[0]).to.deep.include({
      type: "tool_list",
      tools: [
        {
          name: "k8s.a\uFFFDb",
          server: "k8s",
          description: "\uFFFD",
          parameters_schema: '{"type":"object","title":"\uFFFD"}',
          read_only: true,
        },
      ],
    });
    tool = usual;
  });
});
