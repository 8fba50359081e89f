import { expect } from "chai";
import { ApiClient } from "#shared/client/api-client.ts";
import { followSession } from "#shared/client/follow-session.ts";
import { PipelineFixture } from "../../test/support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../../test/support/scripts.ts";
import { ApprovalQuestions, type AskPerson } from "../tarsy/terminal/approval-questions.ts";
import { terminalStyle } from "../tarsy/terminal/terminal-style.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const stages = [{ name: "act", agents: [{ name: "Actor", iteration_strategy: "native-thinking" }] }];
const remove = (args: object) => ({ tool_call: { name: "k8s.remove", arguments: args } });
const CONFIG = {
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "test" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: { Actor: { type: "action", mcp_servers: ["k8s"] } },
    agent_chains: {
      "test-chain": { alert_types: ["test"], stages },
      "kubernetes-agent-chain": { alert_types: ["kubernetes"], stages },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { call: 1, contains: "LONG" }, steps: [remove({ text: "x ".repeat(3_000) })] },
      { when: { call: 1 }, steps: [remove({ pod: "\u001B[2Ja" })] },
      { steps: [{ text: "done" }] },
    ],
  },
  stubTools: {
    servers: { k8s: { remove: { effect: "write", approve: true, results: [{ text: "removed" }] } } },
  },
};

describe("the questions of npm run alert", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({ config: CONFIG, env: { APPROVAL_TOKEN: TOKEN } });
  });
  after(() => pipeline[Symbol.asyncDispose]());

  /** Follows a new session; `onText` sees what is written. */
  const follow = async (
    alert: string,
    ask: AskPerson | undefined,
    onText: (text: string, id: string) => void,
  ) => {
    const id = await pipeline.client.submitUntilAccepted(alert);
    const { api, ws } = pipeline.system;
    let shown = "";
    const write = (text: string) => {
      shown += text;
      onText(text, id);
    };
    const client = new ApiClient({ url: api, headers: { authorization: `Bearer ${TOKEN}` } });
    const options = { api: client, sessionId: id, write, style: terminalStyle(false) };
    const questions = new ApprovalQuestions(ask === undefined ? options : { ...options, ask });
    await followSession({ url: ws, sessionId: id, onMessage: (message) => questions.receive(message) });
    await questions.finish();
    const results = await pipeline.servers.query(
      "SELECT content FROM timeline_events WHERE session_id = $1 AND event_type = 'tool_result'",
      [id],
    );
    return { shown, result: JSON.stringify(results) };
  };
  const answering =
    (...answers: string[]): AskPerson =>
    () =>
      Promise.resolve(answers.shift() ?? "");

  it("show the tool and its arguments, and send the decision", async () => {
    const { shown, result } = await follow("x", answering("maybe", "y", ""), () => undefined);
    expect(shown).to.include("? Actor asks to call k8s.remove\n").and.include('{"pod":"');
    expect(shown).to.include("[k8s.remove: approved by loopback]").and.not.include("\u001B");
    expect(result).to.include("removed");
  });

  it("send a denial with its reason, which the agent is told", async () => {
    const { shown, result } = await follow("x", answering("No", "not today"), () => undefined);
    expect(shown).to.include("[k8s.remove: denied by loopback]");
    expect(result).to.include("not today");
  });

  /** Denies what the printed command asks about, as a person would in another terminal. */
  const denyElsewhere = (text: string, id: string) => {
    const { session, approval } =
      /decide: {2}npm run tarsy -- approve (?<session>\S+) (?<approval>\S+)/u.exec(text)?.groups ?? {};
    if (session === undefined || approval === undefined) return;
    expect(session).to.equal(id);
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const url = `${pipeline.system.api}/api/v1/sessions/${session}/approvals/${approval}`;
    void fetch(url, { method: "POST", headers, body: '{"decision":"deny"}' });
  };

  it("say how to decide without an interactive terminal", async () => {
    const { result } = await follow("x", undefined, denyElsewhere);
    expect(result).to.include("a person denied this call");
  });

  it("ask for no decision about arguments that were not shown whole", async () => {
    const { shown, result } = await follow("LONG", answering("y", ""), denyElsewhere);
    expect(shown)
      .to.include("These are not all of its arguments")
      .and.include("see it:  npm run tarsy -- approve");
    expect(result).to.include("a person denied this call");
  });
});
