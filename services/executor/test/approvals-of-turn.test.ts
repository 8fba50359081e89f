import { expect } from "chai";
import { decide } from "./decide.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { answerTurn, callStep } from "./scripted-turns.ts";

const remove = (pod: string) => callStep("native-thinking", "k8s.remove", { pod });
const ANSWER = answerTurn("native-thinking");
const OPTIONS = { strategy: "native-thinking", servers: ["k8s"] } as const;
const SECRET = "Kx7qT9vB2mZ4wR8p";
const turn = (...steps: readonly object[]) => [{ when: { call: 1 }, steps }, ANSWER];
const TURN = turn(
  callStep("native-thinking", "k8s.pods", {}),
  remove("a"),
  callStep("native-thinking", "k8s.remove", { password: SECRET }),
  remove("b"),
  remove("c"),
);
const argumentsOf = (pod: string) => JSON.stringify({ pod });

describe("several calls of one answer that a person must agree to", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const decidePod = async (id: string, pod: string, state: "approved" | "denied") =>
    decide(fixture.executor, id, state, null, argumentsOf(pod));
  const approvals = async (id: string) =>
    fixture.executor.query(
      "SELECT arguments, state FROM approvals WHERE session_id = $1 ORDER BY arguments",
      [id],
    );
  const asked = async (id: string) =>
    fixture.executor.query(
      "SELECT payload->>'arguments' AS arguments FROM events WHERE session_id = $1 AND payload->>'type' = 'approval.requested' ORDER BY seq",
      [id],
    );
  const results = async (id: string) => {
    const rows = await fixture.executor.query(
      "SELECT content FROM messages WHERE session_id = $1 AND role = 'tool' ORDER BY sequence_number",
      [id],
    );
    return rows.map(
      (row) => /pod checkout|removed|contain secrets|denied|in time/u.exec(JSON.stringify(row))?.[0],
    );
  };
  /** The pods that were removed since the call log had so many lines, in order. */
  const removedSince = async (before: number) =>
    (await fixture.tools.arguments()).slice(before).flatMap((line) => /pod\W+(\w)\W/u.exec(line)?.[1] ?? []);
  const open = async (script: readonly object[]) => {
    await fixture.play(...script);
    const id = await fixture.executor.insert(OPTIONS);
    expect(await fixture.run(id)).to.equal("waiting");
    return id;
  };

  it("are asked about at once, decided in any order and made in theirs", async () => {
    const before = await fixture.tools.calls();
    const id = await open(TURN);
    const questions = ["a", "b", "c"].map((pod) => ({ arguments: argumentsOf(pod) }));
    expect(await approvals(id)).to.deep.equal(
      questions.map((question) => ({ ...question, state: "awaiting_approval" })),
    );
    expect(await asked(id)).to.deep.equal(questions);
    await decidePod(id, "c", "approved");
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await removedSince(before)).to.deep.equal([]);
    await decidePod(id, "a", "approved");
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await removedSince(before)).to.deep.equal(["a"]);
    expect(await fixture.executor.row("session_runtime", "waiting_for->>'kind' AS kind", id)).to.deep.equal({
      kind: "approval",
    });
    await decidePod(id, "b", "denied");
    expect(await fixture.run(id)).to.equal("completed");
    expect(await removedSince(before)).to.deep.equal(["a", "c"]);
    expect(await results(id)).to.deep.equal([
      "pod checkout",
      "removed",
      "contain secrets",
      "denied",
      "removed",
    ]);
    expect(await asked(id)).to.have.length(3);
  });

  it("expire each by itself", async () => {
    const before = await fixture.tools.calls();
    const id = await open(TURN);
    await fixture.executor.query(
      "UPDATE approvals SET expires_at = now() WHERE session_id = $1 AND arguments = $2",
      [id, argumentsOf("b")],
    );
    await decidePod(id, "a", "approved");
    expect(await fixture.run(id)).to.equal("waiting");
    await decidePod(id, "c", "approved");
    expect(await fixture.run(id)).to.equal("completed");
    expect(await removedSince(before)).to.deep.equal(["a", "c"]);
    expect((await results(id))[3]).to.equal("in time");
  });

  it("are closed together if the session is cancelled", async () => {
    const id = await open(TURN);
    await decidePod(id, "c", "approved");
    await fixture.executor.cancel(id);
    expect(await fixture.run(id)).to.equal("cancelled");
    expect((await approvals(id)).map((row) => JSON.stringify(row)).join()).not.to.include("awaiting");
  });
});
