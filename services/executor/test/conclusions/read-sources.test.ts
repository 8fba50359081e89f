import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { readSources } from "../../features/conclusions/read-sources.ts";
import { joinAlerts } from "../join-alerts.ts";
import { RunFixture } from "../run-fixture.ts";
import { answerTurn, callTurn, conclusionWith } from "../scripted-turns.ts";

const parseExecution = compileParser("execution", Type.Object({ execution_id: Type.String() }));
const parseChecked = compileParser("claims", Type.Object({ claims: Type.Array(Type.String()) }));

describe("the sources of a conclusion", function () {
  this.timeout(60_000);
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("are read whole in the order of the quotes that name them, up to so many bytes", async () => {
    const [large, small] = [600_000, "pod checkout-7d9f restarts".length];
    const tools = ["pods", "large", "pods", "large"];
    await fixture.play(
      ...tools.map((name, at) => callTurn("native-thinking", at + 1, `k8s.${name}`, { at })),
      answerTurn("native-thinking"),
    );
    const sessionId = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    expect(await fixture.run(sessionId)).to.equal("completed");
    const { execution_id: executionId } = parseExecution(
      (
        await fixture.executor.query("SELECT execution_id FROM agent_executions WHERE session_id = $1", [
          sessionId,
        ])
      )[0],
    );
    const read = async (
      named: readonly string[],
      limits?: { readonly named: number; readonly others: number },
    ) => {
      const sources = await readSources(fixture.executor.db, { sessionId, executionId, named }, limits);
      return Object.fromEntries(
        sources.map(({ id, kind, text }) => [id, kind === "result" ? text.length : kind]),
      );
    };
    const all = { r1: small, r2: large, r3: small, r4: large };
    expect(await read([])).to.deep.equal(all);
    const none = { named: large + small, others: 0 };
    expect(await read(["r2", "r1", "r1", "r4"], none)).to.deep.equal({ r1: small, r2: large, r4: "unread" });
    expect(await read(["r4", "r2", "r1"], none)).to.deep.equal({ r1: "unread", r2: "unread", r4: large });
    // The name of r1 is a part of that of r12, which there is not.
    expect(await read(["r12", "nothing"], none)).to.deep.equal({});
    expect(await read(["r4"], { named: large, others: small })).to.deep.equal({ r1: small, r4: large });
  });

  it("are also the alerts that have joined and that an agent has read", async () => {
    const claims = [
      ["alert", "disk full on db-7"],
      ["alert", "disk full on db-8"],
      ["alert 2", "disk full on db-8"],
      ["alert", "disk full on db-9"],
    ] as const;
    await fixture.play(
      callTurn("native-thinking", 1, "tarsy.conclude", conclusionWith(claims)),
      answerTurn("native-thinking"),
    );
    const id = await fixture.executor.insert({
      strategy: "native-thinking",
      alert: "disk full on db-7",
      concludes: true,
    });
    await joinAlerts(fixture.executor, id, ["disk full on db-8, too"]);
    expect(await fixture.run(id)).to.equal("completed");
    const [row] = await fixture.executor.query(
      `SELECT (SELECT json_agg(concat_ws(' ', x ->> 'claim_id', x ->> 'outcome', x ->> 'source', x ->> 'note')) FROM jsonb_array_elements(checked) x) AS claims
       FROM conclusions WHERE session_id = $1 AND attempt = 1 AND status = 'likely'`,
      [id],
    );
    expect(parseChecked(row).claims).to.deep.equal([
      "c1 verified alert alert",
      "c2 verified alert#2 alert",
      "c3 verified alert#2 alert",
      "c4 altered alert words",
    ]);
  });
});
