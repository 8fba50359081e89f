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
const parseCall = compileParser(
  "tool call",
  Type.Object({ interaction_id: Type.String(), seq: Type.Integer(), execution_id: Type.String() }),
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

  /** The requests of a fork, with the changes, from after the first answer of the session on. */
  const changed = async (changes: object, tools = "recorded") => {
    const parent = await investigate();
    const [at_seq = 0] = (await stepsOf(parent)).filter((seq, index) => index > 3 && seq > 0);
    const start = model.requests.length;
    const made = await toolCalls();
    const forked = await fork(parent, { at_seq, changes, tools });
    return { ...forked, parent, requests: model.requests.slice(start), made: (await toolCalls()) - made };
  };

  it("goes on with another provider of today's configuration, or another model", async () => {
    const other = await changed({ llm_provider: "second" });
    expect(new Set(other.requests.map(({ path }) => path.split("/")[1]))).to.deep.equal(new Set(["second"]));
    expect(texts(other.requests).join("")).to.contain('"model":"model-two"').and.not.to.contain("model-one");
    const [row] = await pipeline.servers.query(
      "SELECT count(*)::int AS n FROM agent_executions WHERE session_id = $1 AND status = 'completed' AND llm_provider = 'second'",
      [other.id],
    );
    expect(row).to.have.property("n").that.is.greaterThan(0);
    const renamed = await changed({ model: "model-three" });
    expect(texts(renamed.requests).join(""))
      .to.contain('"model":"model-three"')
      .and.not.to.contain("model-one");
  });

  it("gives other instructions to agents that have begun as a message, and to others in their prompt", async () => {
    const { requests } = await changed({ custom_instructions: "Say ONLY what you have SEEN." });
    const told = texts(requests).filter((text) => text.includes("SEEN."));
    expect(told.length).to.equal(requests.length - 1, "all but the executive summary");
    expect(told.some((text) => text.includes("OPERATOR_NOTE"))).to.equal(true);
    expect(told.some((text) => !text.includes("OPERATOR_NOTE") && !text.includes("Look at pods."))).to.equal(
      true,
    );
  });

  it("concludes at another limit of iterations", async () => {
    const { requests, session } = await changed({ max_iterations: 1 });
    expect(session.status).to.equal("completed");
    expect(texts(requests).join("")).to.contain("You have reached the limit of 1 iteration.");
  });

  for (const tools of ["recorded", "live"]) {
    it(`tells the agent an edited result, with ${tools} tools`, async () => {
      const parent = await investigate();
      const [call] = await pipeline.servers.query(
        `SELECT i.interaction_id, i.seq, i.execution_id FROM mcp_interactions i JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = i.stage_id
         WHERE i.session_id = $1 AND i.interaction_type = 'tool_call' AND s.stage_index = 2 AND i.outcome = '{"kind": "result", "index": 1, "iteration": 1}'`,
        [parent],
      );
      const { interaction_id, seq } = parseCall(call);
      const start = model.requests.length;
      const made = await toolCalls();
      const changes = {
        tool_result: {
          interaction_id,
          content: "EDITED by hand, token ghp_0123456789abcdefghijABCDEFGHIJ456789",
        },
      };
      const { session, id } = await fork(parent, { at_seq: seq, changes, tools });
      expect(session.final_analysis).to.equal("somebody edited it");
      const told = texts(model.requests.slice(start)).filter((text) => text.includes("EDITED"));
      expect(told.join("")).to.contain("TOOL_OUTPUT_START").and.not.to.contain("ghp_0123");
      expect(await toolCalls()).to.equal(made + (tools === "live" ? 1 : 0));
      const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${parent}`);
      expect(body["forks"]).to.have.length(1);
      expect(id).not.to.equal(parent);
    });
  }

  it("makes the calls again with live tools", async () => {
    expect((await changed({}, "live")).made).to.be.greaterThan(1);
  });

  it("can be made of a fork, and both say where they come from", async () => {
    const { id: first, parent, at_seq } = await changed({ max_iterations: 9 });
    const steps = await stepsOf(first);
    const last = steps.at(-1) ?? 0;
    expect(steps.every((seq) => seq >= at_seq)).to.equal(true);
    const { id: second } = await fork(first, { at_seq: last });
    const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${second}`);
    expect(body["forked_from"]).to.deep.equal({
      session_id: first,
      at_seq: last,
      tools: "recorded",
      changes: {},
    });
    const { body: one } = await pipeline.client.request("GET", `/api/v1/sessions/${first}`);
    expect(one["forked_from"]).to.deep.include({ session_id: parent, changes: { max_iterations: 9 } });
    expect(one["forks"]).to.have.length(1);
    const early = await pipeline.client.request("POST", `/api/v1/sessions/${first}/fork`, { at_seq: 1 });
    expect(early.status).to.equal(409);
    expect(early.body["message"]).to.contain("fork the session that it comes from");
  });

  it("waits for an executor, and shows itself from its first own event on", async () => {
    const parent = await investigate();
    const [at_seq = 0] = (await stepsOf(parent)).slice(4);
    await pipeline.system.stop("executor", "SIGKILL");
    const { body } = await pipeline.client.request("POST", `/api/v1/sessions/${parent}/fork`, { at_seq });
    const { session_id } = parseFork(body);
    const path = `/api/v1/sessions/${session_id}`;
    const [kept, steps] = [await pipeline.client.request("GET", path), await stepsOf(parent)];
    expect(kept.body).to.include({ status: "pending", started_at: null });
    await pipeline.system.startService("executor");
    expect((await pipeline.client.waitFor(session_id, ["completed", "failed"])).status).to.equal("completed");
    const past = await pipeline.client.request("GET", `${path}?at_seq=${at_seq}`);
    expect(past.body["stages"]).to.deep.equal(kept.body["stages"]);
    expect(past.body["timeline"]).to.deep.equal(kept.body["timeline"]);
    const earlier = await pipeline.client.request("GET", `${path}?at_seq=${at_seq - 1}`);
    expect(earlier.status).to.equal(409);
    expect(steps).to.deep.equal(await stepsOf(parent));
  });
});
