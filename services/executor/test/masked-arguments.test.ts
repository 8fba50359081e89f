import { expect } from "chai";
import { installLeaseLoss } from "./lease-loss.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const SECRET = "Kx7qT9vB2mZ4wR8p";
const TABLES = [
  "messages",
  "timeline_events",
  "llm_interactions",
  "mcp_interactions",
  "tool_calls",
  "events",
  "agent_executions",
  "audit_log",
  "masked_values",
];

describe("secrets in the arguments of a call", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let tools: ToolRunnerFixture;
  let loseLeaseAtWrite: Awaited<ReturnType<typeof installLeaseLoss>>;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    tools = resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    loseLeaseAtWrite = await installLeaseLoss(fixture.executor);
  });
  after(() => resources.disposeAsync());

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
      expect((await tools.arguments()).at(-1)).to.include(SECRET);
      expect(await stored()).not.to.include(SECRET);
      expect(await messages(id))
        .to.match(/MASKED_PASSWORD:[0-9a-f]{6}/u)
        .and.to.include("checkout");
    });

    it(`are asked for again by ${strategy} if the process that had them dies before the call`, async () => {
      const input = { password: SECRET, pod: "checkout" };
      let lost = 0;
      for (let writes = 1, end: unknown = "lost"; end === "lost"; writes += 1) {
        const id = await fixture.executor.insert({ strategy, servers: ["k8s"] });
        await fixture.play(callTurn(strategy, 1, "k8s.restart", input), answerTurn(strategy));
        const before = (await tools.arguments()).length;
        await loseLeaseAtWrite(id, writes);
        end = await fixture.run(id);
        if (end === "lost") expect(await fixture.run(id), `after write ${writes}`).to.equal("completed");
        const made = (await tools.arguments()).slice(before);
        expect(made.length, `after write ${writes}`).to.be.at.most(1);
        expect(made.join("\n"), `after write ${writes}`).not.to.include("MASKED");
        const isAskedAgain = (await messages(id)).includes("Ask for the call again");
        expect(isAskedAgain, `after write ${writes}`).to.equal(made.length === 0);
        if (isAskedAgain) lost += 1;
      }
      expect(lost).to.be.greaterThan(0);
      expect(await stored()).not.to.include(SECRET);
    });
  }
});
