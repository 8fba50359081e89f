import { expect } from "chai";
import { callsBeside } from "../controllers/parallel-calls.ts";
import { AnsweringRunner, answerDone, listedTool } from "./answering-runner.ts";
import { resolvedAgent } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";
import { contentOf } from "./content-of.ts";
import { unframed } from "./unframed.ts";

const TOOLS = [
  listedTool("k8s.pods", { effect: "read" }),
  listedTool("k8s.restart", { read_only: false, effect: "write" }),
  listedTool("k8s.set", { effect: "idempotent" }),
  listedTool("k8s.denied", { effect: "read", gate: "deny" }),
  listedTool("k8s.asked", { effect: "read", needs_approval: true }),
  listedTool("k8s.stub"),
];

describe("the calls of an answer", () => {
  const groups = (...names: string[]) => {
    const full = names.map((name) => `k8s.${name}`);
    const state = {
      tools: TOOLS,
      agent: resolvedAgent(),
      chain: { mcp_server_instructions: {}, default_runbook: "" },
    };
    return full.map((_, index) => callsBeside(state, full, index));
  };

  it("form groups of at most four neighbours that read, whatever results there are", () => {
    expect(groups("pods", "stub", "pods", "pods", "pods", "pods")).to.deep.equal([3, 2, 1, 0, 1, 0]);
    expect(groups("pods", "restart", "pods", "pods")).to.deep.equal([0, 0, 1, 0]);
    for (const alone of ["set", "denied", "asked", "unknown"]) {
      expect(groups("pods", alone, "pods"), alone).to.deep.equal([0, 0, 0]);
    }
  });

  describe("in a session", () => {
    const resources = new AsyncDisposableStack();
    let fixture: RunFixture;

    before(async () => {
      fixture = resources.use(await RunFixture.start());
    });
    after(() => resources.disposeAsync());

    const play = async (names: readonly string[]) =>
      fixture.play(
        {
          when: { call: 1 },
          steps: names.map((name, n) => ({ tool_call: { name: `k8s.${name}`, arguments: { n } } })),
        },
        { steps: [{ text: "it was the memory" }] },
      );
    const insert = async (options: object = {}) =>
      fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"], ...options });
    const results = async (id: string) => {
      const rows = await fixture.executor.query(
        "SELECT content FROM messages WHERE session_id = $1 AND role = 'tool' ORDER BY sequence_number",
        [id],
      );
      return rows.map(contentOf).map(unframed);
    };

    it("run side by side if they read, a write alone; their results are in the order of the calls", async () => {
      const names = ["pods", "pods", "pods", "pods", "pods", "restart", "pods", "pods"];
      const groupOf = [0, 0, 0, 0, 1, 2, 3, 3];
      const sizes = [4, 1, 1, 2];
      const arrived = [0, 0, 0, 0];
      const complete = sizes.map(() => Promise.withResolvers<void>());
      const together: number[] = [];
      let running = 0;
      using runner = await AnsweringRunner.start(fixture.executor.bus, {
        listing: { tools: TOOLS },
        // Each call ends only once its whole group has arrived.
        answer: async (request) => {
          const group = groupOf[request.position?.index ?? 0] ?? 0;
          running += 1;
          const count = (arrived[group] ?? 0) + 1;
          arrived[group] = count;
          if (count === sizes[group]) {
            together[group] = running;
            complete[group]?.resolve();
          }
          await complete[group]?.promise;
          running -= 1;
          return answerDone(request);
        },
      });
      await play(names);
      const id = await insert();
      expect(await fixture.run(id)).to.equal("completed");
      expect(runner.requests).to.have.length(8);
      expect(together).to.deep.equal(sizes);
      expect(await results(id)).to.deep.equal(names.map((name, n) => `k8s.${name} did {"n":${n}}`));
    });

    it("may take longer than the iteration's limit, which is the model's", async () => {
      const together = Promise.withResolvers<void>();
      let asked = 0;
      using runner = await AnsweringRunner.start(fixture.executor.bus, {
        listing: { tools: TOOLS },
        answer: async (request) => {
          asked += 1;
          if (asked === 4) setTimeout(() => together.resolve(), 3_500);
          await together.promise;
          return answerDone(request);
        },
      });
      await play(["pods", "pods", "pods", "pods", "restart"]);
      const id = await insert({ iterationTimeoutMs: 3_000 });
      expect(await fixture.run(id)).to.equal("completed");
      expect(runner.requests).to.have.length(5);
      expect((await results(id)).at(-1)).to.equal('k8s.restart did {"n":4}');
    });
  });
});
