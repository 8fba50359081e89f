import { expect } from "chai";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { answerTurn, callTurn } from "../../../../services/executor/test/scripted-turns.ts";
import type { Replayer } from "../../replayer.ts";
import type { ReplayDivergence } from "../../replay-result.ts";
import type { ReplayParts } from "./replays-of.ts";

const { signal } = new AbortController();
type Execution = Cassette["executions"][number];

export function divergences(opened: () => ReplayParts): void {
  describe("a replay that diverges", () => {
    let replayer: Replayer;
    let cassette: Cassette;

    before(async function () {
      this.timeout(60_000);
      const { recording } = opened();
      ({ replayer } = opened());
      const strategy = "native-thinking";
      const [look] = callTurn(strategy, 1, "k8s.pods", { pod: "checkout" }).steps;
      await recording.runs.play(
        // It is asked first, and answered last.
        { when: { contains: "Your name is Two", call: 1 }, steps: [{ delay: "300ms" }, look ?? {}] },
        callTurn(strategy, 1, "k8s.pods", { pod: "checkout" }),
        callTurn(strategy, 2, "k8s.broken", {}),
        answerTurn(strategy),
      );
      const id = await recording.session({ strategy, servers: ["k8s"], stages: [["One"], ["Two", "Three"]] });
      cassette = await recording.cassette(id);
    });

    /** The divergence of the recording after `change` of the execution of this agent. */
    const divergence = async (
      agent: string,
      change: (execution: Execution) => Partial<Execution>,
    ): Promise<ReplayDivergence> => {
      const executions = cassette.executions.map((execution) =>
        execution.agent_name === agent ? { ...execution, ...change(execution) } : execution,
      );
      const result = await replayer.replay({ ...cassette, executions }, signal);
      if (result.kind !== "diverged") throw new Error(`it is ${JSON.stringify(result)}`);
      return result.divergence;
    };
    const callOf = (agent: string, position: number) =>
      cassette.executions.find(({ agent_name }) => agent_name === agent)?.llm_calls[position];

    const answeredAt = (agent: string) => Number(callOf(agent, 0)?.seq);

    it("names the call, the place in the request and both texts", async function () {
      this.timeout(30_000);
      const found = await divergence("Two", ({ messages }) => ({
        messages: messages.map((message) =>
          message.role === "user" ? { ...message, content: `${message.content} Be quick.` } : message,
        ),
      }));
      expect(found).to.include({
        agent: "Two",
        stage: "stage-1",
        step: "call 1 of the model (iteration)",
        pointer: "/messages/1/content",
        seq: callOf("Two", 0)?.seq,
      });
      expect(found.recorded).to.match(/ Be quick\.$/u);
      expect(found.now).to.not.include("Be quick.");
    });

    it("names the call that was answered first, of those that differ", async () => {
      const executions = cassette.executions.map((execution) => ({
        ...execution,
        messages: execution.messages.map((message) =>
          execution.agent_name !== "One" && message.sequence_number === 1
            ? { ...message, content: "Be brief." }
            : message,
        ),
      }));
      const result = await replayer.replay({ ...cassette, executions }, signal);
      // Three unless the machine was so busy that its answer took longer than the delay of Two's.
      const [first] = ["Two", "Three"].toSorted((a, b) => answeredAt(a) - answeredAt(b));
      expect(result).to.have.nested.property("divergence.agent", first);
    });

    it("names a tool call with other arguments before what the model is asked because of it", async () => {
      const found = await divergence("One", ({ tool_calls }) => ({
        tool_calls: tool_calls.map((call, n) => (n === 0 ? { ...call, arguments: { pod: "basket" } } : call)),
      }));
      expect(found).to.include({
        agent: "One",
        step: "call of the tool k8s.pods after call 1 of the model, number 1",
        pointer: "/arguments/pod",
        recorded: "basket",
        now: "checkout",
      });
    });

    it("names a changed prompt of a synthesis and of the summary", async function () {
      this.timeout(30_000);
      const synthesis = await divergence("SynthesisAgent", ({ messages }) => ({
        messages: messages.map((message) =>
          message.sequence_number === 1 ? { ...message, content: "Synthesize." } : message,
        ),
      }));
      expect(synthesis).to.include({ agent: "SynthesisAgent", pointer: "/messages/0/content" });
      const summary = await divergence("SynthesisAgent", ({ llm_calls }) => ({
        llm_calls: llm_calls.map((call) => {
          if (call.type !== "executive_summary") return call;
          const messages = (call.input.messages ?? []).map(({ role }) => ({ role, content: "Shorten." }));
          return { ...call, input: { ...call.input, messages } };
        }),
      }));
      expect(summary).to.include({ pointer: "/messages/0/content", recorded: "Shorten." });
      expect(summary.step).to.match(/\(executive_summary\)$/u);
    });

    it("names a call that was not recorded", async () => {
      const found = await divergence("Three", ({ llm_calls }) => ({ llm_calls: llm_calls.slice(0, -1) }));
      expect(found).to.include({ agent: "Three", step: "a call of the model that was not recorded" });
    });

    it("names a recorded call that is not made, without waiting for it", async function () {
      this.timeout(15_000);
      const found = await divergence("Three", ({ llm_calls }) => {
        const [last] = llm_calls.slice(-1);
        if (last === undefined) throw new Error("no call");
        const seq = (last.seq ?? 0) + 1;
        const more = { ...last, interaction_id: cassette.session.session_id, seq, iteration: 4 };
        return { llm_calls: [...llm_calls, more] };
      });
      expect(found).to.include({ agent: "Three", step: "call 4 of the model (iteration)", now: "(nothing)" });
    });

    it("names an end that is another one", async () => {
      const found = await divergence("Two", () => ({ status: "failed", error_code: "credentials" }));
      expect(found).to.include({
        agent: "Two",
        step: "end of the agent",
        pointer: "/error_code",
        recorded: "credentials",
      });
    });

    it("is identical again without a change", async () => {
      const result = await replayer.replay(cassette, signal);
      expect(result).to.deep.equal({ kind: "identical", notReplayed: [] });
    });

    it("refuses to replay a session twice at a time, and stops at a signal", async () => {
      const stop = new AbortController();
      const first = replayer.replay(cassette, stop.signal);
      expect(await replayer.replay(cassette, signal)).to.deep.equal({
        kind: "error",
        message: `session ${cassette.session.session_id} is being replayed already`,
      });
      stop.abort(new Error("enough"));
      const error = await first.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error)).to.include("enough");
      expect(await replayer.replay(cassette, signal)).to.have.property("kind", "identical");
    });
  });
}
