import { expect } from "chai";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";

const SECRET = "Kx7qT9vB2mZ4wR8p";
const TABLES =
  "messages timeline_events llm_interactions mcp_interactions tool_calls events agent_executions audit_log masked_values".split(
    " ",
  );

describe("secrets in the arguments of a call", () => {
  let fixture: RunWithTools;
  let points: WritePoints;

  before(async () => {
    fixture = await RunFixture.startWithTools();
    points = await installWritePoints(fixture.executor);
  });
  after(() => fixture[Symbol.asyncDispose]());

  const stored = async (): Promise<string> => {
    const rows = await Promise.all(
      TABLES.map(async (table) => fixture.executor.query(`SELECT t::text AS row FROM ${table} t`, [])),
    );
    return JSON.stringify(rows);
  };
  const messages = async (id: string): Promise<string> =>
    JSON.stringify(
      await fixture.executor.query(
        "SELECT role, content, tool_calls FROM messages WHERE session_id = $1 ORDER BY sequence_number",
        [id],
      ),
    );

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`reach the tool and are stored nowhere, for ${strategy}`, async () => {
      const id = await fixture.executor.insert({ strategy, servers: ["k8s"] });
      const input = { password: SECRET, pod: "checkout" };
      await fixture.play(callTurn(strategy, 1, "k8s.pods", input), answerTurn(strategy));
      expect(await fixture.run(id)).to.equal("completed");
      expect((await fixture.tools.arguments()).at(-1)).to.include(SECRET);
      expect(await stored()).not.to.include(SECRET);
      expect(await messages(id))
        .to.match(/MASKED_PASSWORD:[0-9a-f]{6}/u)
        .and.to.include("checkout");
    });

    it(`are asked for again by ${strategy} if the process that had them dies before the call`, async () => {
      await fixture.play(
        callTurn(strategy, 1, "k8s.restart", { password: SECRET, pod: "checkout" }),
        answerTurn(strategy),
      );
      const [whole, lost] = [
        await fixture.executor.insert({ strategy, servers: ["k8s"] }),
        await fixture.executor.insert({ strategy, servers: ["k8s"] }),
      ];
      await points.record(whole);
      expect(await fixture.run(whole)).to.equal("completed");
      const answered = (await points.kinds(whole)).findIndex((kind) => kind.includes("part_llminteractions"));
      const before = await fixture.tools.calls();
      await points.kill(lost, answered + 1);
      expect(await fixture.run(lost)).to.equal("lost");
      expect(await fixture.run(lost)).to.equal("completed");
      expect(await fixture.tools.calls()).to.equal(before);
      expect(await messages(lost)).to.include("Ask for the call again");
      expect(await stored()).not.to.include(SECRET);
    });
  }
});
