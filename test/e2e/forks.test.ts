import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { chatModel } from "../support/chat-model.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { openSseServer, type SseServer } from "../support/sse-server.ts";

const parseSteps = compileParser(
  "steps",
  Type.Object({ steps: Type.Array(Type.Object({ at_seq: Type.Integer() }, { additionalProperties: true })) }),
);
const parseFork = compileParser("fork", Type.Object({ session_id: Type.String(), at_seq: Type.Integer() }));

/** Two agents beside each other, one of each strategy with tools, and one after them. */
const CONFIG = (url: string) => ({
  tarsy: {
    defaults: { llm_provider: "first", alert_type: "chain" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: {
      Native: {
        mcp_servers: ["k8s"],
        iteration_strategy: "native-thinking",
        custom_instructions: "Look at pods.",
      },
      React: { mcp_servers: ["k8s"], iteration_strategy: "react", custom_instructions: "Look at logs." },
    },
    agent_chains: {
      chain: {
        alert_types: ["chain"],
        stages: [
          { name: "look", agents: [{ name: "Native" }, { name: "React" }] },
          { name: "check", agents: [{ name: "Native" }] },
        ],
      },
      "kubernetes-agent-chain": {
        alert_types: ["kubernetes"],
        stages: [{ name: "a", agents: [{ name: "Native" }] }],
      },
    },
  },
  providers: {
    llm_providers: {
      first: { type: "groq", model: "model-one", base_url: `${url}/first`, max_tool_result_tokens: 10_000 },
      second: { type: "groq", model: "model-two", base_url: `${url}/second`, max_tool_result_tokens: 10_000 },
    },
  },
  stubTools: {
    call_log: "calls.jsonl",
    servers: {
      k8s: {
        pods: { read_only: true, results: [{ text: "checkout restarts" }] },
        logs: { read_only: true, results: [{ text: "out of memory" }] },
      },
    },
  },
});

describe("a fork, through all five services", () => {
  const resources = new AsyncDisposableStack();
  let model: SseServer;
  let pipeline: PipelineFixture;

  before(async () => {
    model = resources.use(
      await openSseServer(
        chatModel(({ text, answers, hasTools, tool }) => {
          if (text.includes("Action Input:")) {
            const calls = ["pods", "logs"];
            if (answers >= calls.length) return "Thought: I know\nFinal Answer: the log says memory";
            return `Thought: look\nAction: k8s.${calls[answers]}\nAction Input: {"ns": "shop"}`;
          }
          if (!hasTools) return "the memory, says everyone";
          if (answers === 0)
            return ["pods", "logs"].map((name) => ({ name: tool(name), arguments: { ns: "shop" } }));
          if (answers === 1) return [{ name: tool("pods"), arguments: { ns: "shop" } }];
          return text.includes("EDITED") ? "somebody edited it" : "it was the memory";
        }),
      ),
    );
    pipeline = resources.use(await PipelineFixture.start({ config: CONFIG(model.url) }));
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const toolCalls = async (): Promise<number> => {
    const log = await readFile(join(pipeline.configDir, "calls.jsonl"), "utf8");
    return log.split("\n").length - 1;
  };
  const investigate = async (): Promise<string> => {
    const id = await pipeline.client.submit(`the checkout is slow ${crypto.randomUUID()}`, {
      alert_type: "chain",
    });
    expect((await pipeline.client.waitFor(id, ["completed", "failed"])).status).to.equal("completed");
    return id;
  };
  const fork = async (id: string, body: object, statuses = ["completed"]) => {
    const answer = await pipeline.client.request("POST", `/api/v1/sessions/${id}/fork`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    const { session_id, at_seq } = parseFork(answer.body);
    const session = await pipeline.client.waitFor(session_id, [...statuses, "failed"], 60_000);
    expect(statuses).to.include(session.status);
    return { id: session_id, at_seq, session };
  };
  const stepsOf = async (id: string): Promise<number[]> => {
    const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${id}/steps`);
    return parseSteps(body).steps.map(({ at_seq }) => at_seq);
  };
  const views = async (id: string): Promise<unknown[]> =>
    Promise.all(
      ["", "/trace", "/events"].map(async (path) => {
        const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${id}${path}`);
        return { ...body, forks: null };
      }),
    );
  const texts = (requests: readonly { readonly body: unknown }[]): string[] =>
    requests.map(({ body }) => JSON.stringify(body)).toSorted();

  it("without changes asks the model what its parent asked after that step, word for word, at the end of every step", async () => {
    const from = model.requests.length;
    const parent = await investigate();
    const asked = model.requests.slice(from);
    const before = await views(parent);
    const made = await toolCalls();
    const steps = await stepsOf(parent);
    expect(steps.length).to.be.greaterThan(10);
    for (const at_seq of [0, ...steps]) {
      const start = model.requests.length;
      const { id } = await fork(parent, { at_seq });
      const [row] = await pipeline.servers.query(
        "SELECT count(*)::int AS n FROM llm_interactions WHERE session_id = $1 AND seq > $2",
        [parent, at_seq],
      );
      const now = texts(model.requests.slice(start));
      expect({ n: now.length }, `at ${at_seq}`).to.deep.equal(row);
      // Each of them is one that the parent has made.
      const known = texts(asked);
      expect(
        now.filter((text) => !known.includes(text)),
        `at ${at_seq}`,
      ).to.deep.equal([]);
      const events = await pipeline.servers.query(
        "SELECT count(*)::int AS n, max(seq) AS last FROM events WHERE session_id = $1",
        [id],
      );
      expect(events).to.satisfy(([one]: readonly { n: number; last: number }[]) => one?.n === one?.last);
    }
    expect(await toolCalls()).to.equal(made);
    expect(await views(parent)).to.deep.equal(before);
  });
});
