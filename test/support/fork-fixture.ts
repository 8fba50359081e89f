import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Test } from "mocha";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { chatModel, type ModelAnswer } from "./chat-model.ts";
import { PipelineFixture } from "./pipeline-fixture.ts";
import { openSseServer, type SseRequest, type SseServer } from "./sse-server.ts";
import type { TarsyClient } from "./tarsy-client.ts";

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
      Lead: {
        mcp_servers: ["k8s"],
        iteration_strategy: "native-thinking",
        custom_instructions: "Lead the work.",
      },
      Helper: {
        description: "helps",
        mcp_servers: ["k8s"],
        iteration_strategy: "native-thinking",
        custom_instructions: "Help the lead.",
      },
    },
    agent_chains: {
      chain: {
        alert_types: ["chain"],
        stages: [
          { name: "look", agents: [{ name: "Native" }, { name: "React" }] },
          { name: "check", agents: [{ name: "Native" }] },
        ],
      },
      lead: {
        alert_types: ["lead"],
        sub_agents: ["Helper"],
        stages: [{ name: "lead", agents: [{ name: "Lead" }] }],
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
        dump: { read_only: true, results: [{ bytes: 100_000 }] },
      },
    },
  },
});

/** Starts a sub-agent beside a call with a large result, reads on in that, and concludes once the sub-agent has reported. */
function lead(answers: number, text: string, tool: (ending: string) => string): ModelAnswer {
  if (answers === 0) {
    return [
      { name: tool("dispatch_agent"), arguments: { name: "Helper", task: "look at the pods" } },
      { name: tool("dump"), arguments: {} },
    ];
  }
  const [, id] = /result_read[^]*?([0-9a-f]{8}-[0-9a-f-]{27})/u.exec(text) ?? [];
  if (answers === 1 && id !== undefined) return [{ name: tool("result_read"), arguments: { id, lines: 1 } }];
  return text.includes("it was the memory") ? "the helper says memory" : "I wait for the helper";
}

/** All services with a model that answers the same to the same request, for sessions and their forks. */
export class ForkFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #model: SseServer;
  readonly pipeline: PipelineFixture;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    model: SseServer;
    pipeline: PipelineFixture;
  }) {
    this.#resources = parts.resources;
    this.#model = parts.model;
    this.pipeline = parts.pipeline;
  }

  static async start(): Promise<ForkFixture> {
    await using resources = new AsyncDisposableStack();
    const model = resources.use(
      await openSseServer(
        chatModel(({ text, answers, hasTools, tool }) => {
          if (text.includes("Action Input:")) {
            const calls = ["pods", "logs"];
            if (answers >= calls.length) return "Thought: I know\nFinal Answer: the log says memory";
            return `Thought: look\nAction: k8s.${calls[answers]}\nAction Input: {"ns": "shop"}`;
          }
          if (!hasTools) return "the memory, says everyone";
          if (text.includes("Lead the work.")) return lead(answers, text, tool);
          const names = [["pods", "logs"], ["pods"]][answers];
          if (names !== undefined) {
            return names.map((name) => ({ name: tool(name), arguments: { ns: "shop" } }));
          }
          return text.includes("EDITED") ? "somebody edited it" : "it was the memory";
        }),
      ),
    );
    const pipeline = resources.use(await PipelineFixture.start({ config: CONFIG(model.url) }));
    return new ForkFixture({ resources: resources.move(), model, pipeline });
  }

  get client(): TarsyClient {
    return this.pipeline.client;
  }

  /** The requests of agents so far. */
  get requests(): readonly SseRequest[] {
    return this.#model.requests;
  }

  async query(sql: string, parameters: unknown[]): Promise<unknown[]> {
    return this.pipeline.servers.query(sql, parameters);
  }

  /** How many tool calls have been made. */
  async toolCalls(): Promise<number> {
    const log = await readFile(join(this.pipeline.configDir, "calls.jsonl"), "utf8");
    return log.split("\n").length - 1;
  }

  /** A session that has completed. */
  async investigate(alert_type = "chain"): Promise<string> {
    const id = await this.client.submit(`the checkout is slow ${crypto.randomUUID()}`, { alert_type });
    expect((await this.client.waitFor(id, ["completed", "failed"])).status).to.equal("completed");
    return id;
  }

  /** Asks for a fork. */
  async ask(id: string, body: object): Promise<{ readonly id: string; readonly at_seq: number }> {
    const answer = await this.client.request("POST", `/api/v1/sessions/${id}/fork`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    const { session_id, at_seq } = parseFork(answer.body);
    return { id: session_id, at_seq };
  }

  /** A fork that has completed. */
  async fork(id: string, body: object) {
    const asked = await this.ask(id, body);
    const session = await this.client.waitFor(asked.id, ["completed", "failed"]);
    expect(session.status).to.equal("completed");
    return { ...asked, session };
  }

  /** The ends of a session's steps. */
  async stepsOf(id: string): Promise<number[]> {
    const { body } = await this.client.request("GET", `/api/v1/sessions/${id}/steps`);
    return parseSteps(body).steps.map(({ at_seq }) => at_seq);
  }

  /** A fork, with the changes, from the fifth step of a session, and what it asked of models and tools. */
  async changed(changes: object, tools = "recorded") {
    const parent = await this.investigate();
    const at_seq = (await this.stepsOf(parent))[4];
    const start = this.requests.length;
    const made = await this.toolCalls();
    const forked = await this.fork(parent, { at_seq, changes, tools });
    return { ...forked, parent, requests: this.requests.slice(start), made: (await this.toolCalls()) - made };
  }

  /** The bodies of requests as text, in an order of their own. */
  static texts(requests: readonly SseRequest[]): string[] {
    return requests.map(({ body }) => JSON.stringify(body)).toSorted();
  }

  showOutputOf(test: Test | undefined): void {
    this.pipeline.showOutputOf(test);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
