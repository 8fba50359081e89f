import { expect } from "chai";
import { RunFixture } from "./run-fixture.ts";
import { conclusionWith } from "./scripted-turns.ts";

describe("replicas that stop when they agree", function () {
  this.timeout(60_000);
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const NAMES = ["A", "A", "A", "A"];
  const ofReplica = (number: number, entity: string, status: "confirmed" | "likely") => {
    const stated = conclusionWith([["alert", "an alert of the test"]], status);
    const claims = conclusionWith([["r1", "pod checkout-7d9f restarts"]], status);
    const causes = [{ entity, kind: "load", code: "", statement: "so it is" }];
    const of = status === "confirmed" ? claims : stated;
    return [
      {
        when: { agent: `A-${number}`, call: 1 },
        steps: [{ tool_call: { name: "k8s.pods", arguments: {} } }],
      },
      {
        when: { agent: `A-${number}`, call: 2 },
        steps: [{ tool_call: { name: "tarsy.conclude", arguments: { ...of, causes } } }],
      },
      { when: { agent: `A-${number}` }, steps: [{ text: "It was the memory." }] },
    ];
  };
  const SYNTHESIS = { steps: [{ text: "they say" }] };
  const agents = async (id: string) =>
    (
      await fixture.executor.query(
        "SELECT agent_name AS name FROM agent_executions WHERE session_id = $1 ORDER BY agent_index",
        [id],
      )
    ).map((row) => JSON.stringify(row).slice(9, -2));
  const play = async (minReplicas: number, ...causes: (readonly [string, "confirmed" | "likely"])[]) => {
    const turns = causes.flatMap(([entity, status], index) => ofReplica(index + 1, entity, status));
    await fixture.play(...turns, SYNTHESIS);
    const id = await fixture.executor.insert({
      strategy: "native-thinking",
      stages: [NAMES],
      isReplicated: true,
      minReplicas,
      alert: "an alert of the test",
      servers: ["k8s"],
      concludes: true,
    });
    expect(await fixture.run(id)).to.equal("completed");
    return agents(id);
  };

  it("start no other once one is confirmed, and nothing combines one result", async () => {
    expect(await play(1, ["pod/a", "confirmed"])).to.deep.equal(["A-1"]);
  });

  it("start one after the other until two name the same cause", async () => {
    const names = await play(1, ["pod/a", "likely"], ["pod/b", "likely"], ["Pod/A", "likely"]);
    expect(names).to.deep.equal(["A-1", "A-2", "A-3", "SynthesisAgent"]);
  });

  it("all run if they never agree", async () => {
    const names = await play(2, ["a/1", "likely"], ["a/2", "likely"], ["a/3", "likely"], ["a/4", "likely"]);
    expect(names).to.deep.equal(["A-1", "A-2", "A-3", "A-4", "SynthesisAgent"]);
  });
});
