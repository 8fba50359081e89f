import { expect } from "chai";
import { ApiClient } from "#shared/client/api-client.ts";
import { followSession } from "#shared/client/follow-session.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { ApprovalQuestions, type AskPerson } from "../../tarsy/terminal/approval-questions.ts";
import { terminalStyle } from "../../tarsy/terminal/terminal-style.ts";

/** With this token people decide. */
export const APPROVAL_TOKEN = "the-token-of-the-tests-0123456789abcdef";
const TYPE = "act";

const remove = (args: object) => ({ tool_call: { name: "k8s.remove", arguments: args } });
const actor = (call: object, steps: readonly object[]) => ({ when: { agent: "Actor", ...call }, steps });

/** An agent that asks before it acts, in a chain of its own. */
export const ACTOR = {
  agents: { Actor: { type: "action", mcp_servers: ["k8s"] } },
  chain: {
    alert_types: [TYPE],
    stages: [{ name: "act", agents: [{ name: "Actor", iteration_strategy: "native-thinking" }] }],
  },
  servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  stubTools: {
    servers: { k8s: { remove: { effect: "write", approve: true, results: [{ text: "removed" }] } } },
  },
  calls: [
    actor({ call: 1, contains: "LONG" }, [remove({ text: "x ".repeat(3_000) })]),
    actor({ call: 1 }, [remove({ pod: "\u001B[2Ja" })]),
    actor({}, [{ text: "done" }]),
  ],
} as const;

export function approvalQuestions(opened: () => PipelineFixture): void {
  describe("the questions of npm run alert", () => {
    let pipeline: PipelineFixture;

    before(() => {
      pipeline = opened();
    });

    /** Follows a new session; `onText` sees what is written. */
    const follow = async (
      alert: string,
      ask: AskPerson | undefined,
      onText: (text: string, id: string) => void,
    ) => {
      const id = await pipeline.client.submit(alert, { alert_type: TYPE });
      const { api, ws } = pipeline.system;
      let shown = "";
      const write = (text: string) => {
        shown += text;
        onText(text, id);
      };
      const client = new ApiClient({ url: api, headers: { authorization: `Bearer ${APPROVAL_TOKEN}` } });
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

    it("send a denial with its reason, which the agent reads", async () => {
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
      const headers = { authorization: `Bearer ${APPROVAL_TOKEN}`, "content-type": "application/json" };
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
}
