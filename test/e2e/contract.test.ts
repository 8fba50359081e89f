import { expect } from "chai";
import { stringify } from "yaml";
import { Type } from "typebox";
import { DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ContractCheck } from "../../services/api/test/contract-check.ts";
import { ContractClient } from "../support/contract-client.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { ASKS_FOR_TOOL_SUMMARY, SUMMARY_CALL } from "../support/scripts.ts";
import { traceCalls } from "../support/trace-calls.ts";
import { until } from "../support/until.ts";

const LOOP = "native-thinking";
const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const SKILL = "---\nname: kubectl\ndescription: How to look at pods.\n---\n\nLook at the owner first.\n";
const plain = (alert_type: string) => ({
  alert_types: [alert_type],
  stages: [{ name: "look", agents: [{ name: "Plain" }] }],
});
const TARSY = {
  queue: { session_timeout: "45s", scoring_shutdown_timeout: "0s" },
  defaults: {
    llm_provider: "scripted",
    alert_type: "plain",
    scoring: { enabled: true },
    memory: { enabled: true },
  },
  mcp_servers: {
    k8s: {
      transport: { type: "stdio", command: "true", env: { REGION: "eu" } },
      summarization: { size_threshold_tokens: 500 },
    },
  },
  agents: {
    Lead: { iteration_strategy: LOOP, mcp_servers: ["k8s"], required_skills: ["kubectl"] },
    Second: { iteration_strategy: LOOP },
    Looker: { description: "Looks at one thing", iteration_strategy: LOOP },
    Actor: { type: "action", iteration_strategy: LOOP, mcp_servers: ["k8s"] },
    Plain: { iteration_strategy: LOOP },
  },
  agent_chains: {
    "full-chain": {
      alert_types: ["full"],
      stages: [
        {
          name: "look",
          agents: [
            { name: "Lead", sub_agents: ["Looker"] },
            { name: "Second", llm_provider: "broken", fallback_providers: [{ provider: "scripted" }] },
          ],
        },
        { name: "act", agents: [{ name: "Actor" }] },
      ],
    },
    "plain-chain": plain("plain"),
    "kubernetes-agent-chain": plain("kubernetes"),
  },
};
const LESSON = { content: "The disk fills with logs", category: "semantic", valence: "negative" };
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: ASKS_FOR_TOOL_SUMMARY, steps: [{ text: "many lines, no error" }] },
    { when: { agent: "Plain", contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
    {
      when: { agent: "Plain", contains: "REFUSE" },
      steps: [{ error: { code: "content_blocked", message: "no", retryable: false } }],
    },
    { when: { agent: "Looker" }, steps: [{ text: "seen: the disk is full", chunk_size: 4 }] },
    { when: { agent: "ChatAgent" }, steps: [{ text: "because of the logs", chunk_size: 4 }] },
    { when: { agent: "SynthesisAgent" }, steps: [{ text: "both say: the disk is full" }] },
    {
      when: { agent: "Lead", call: 1 },
      steps: [
        { thinking: "let me see" },
        { text: "I look at the events" },
        { tool_call: { name: "k8s.events", arguments: { namespace: "shop" } } },
        { tool_call: { name: "tarsy.dispatch_agent", arguments: { name: "Looker", task: "disks" } } },
      ],
    },
    {
      when: { agent: "Actor", call: 1 },
      steps: [{ tool_call: { name: "k8s.remove", arguments: { pod: "a" } } }],
    },
    { when: { agent: "Actor" }, steps: [{ text: "removed it\nYES" }] },
    ...["Lead", "Second", "Plain"].map((agent) => ({
      when: { agent },
      steps: [{ text: "the disk is full", chunk_size: 4 }],
    })),
    { when: { call: 1 }, steps: [{ text: "well done\nTAGS: incomplete_evidence\n84" }] },
    { when: { call: 2 }, steps: [{ text: "no tool is missing" }] },
    { steps: [{ text: JSON.stringify({ create: [LESSON], reinforce: [], deprecate: [] }) }] },
  ],
};
const BROKEN = {
  calls: [{ steps: [{ error: { code: "provider_error", message: "away", retryable: false } }] }],
};
const PROVIDERS = {
  llm_providers: {
    scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
    broken: { type: "scripted", model: "broken-test", script: "broken.yaml" },
  },
};

/** The members of the metadata of each type of entry, as clients read them without asking. */
const METADATA: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  llm_thinking: { source: "string" },
  llm_tool_call: { server_name: "string", tool_name: "string", tool_type: "string", arguments: "string" },
  mcp_tool_summary: { server_name: "string", tool_name: "string", original_tokens: "number" },
  user_question: { author: "string" },
  skill_loaded: { skill_name: "string" },
  provider_fallback: {
    original_provider: "string",
    original_backend: "string",
    original_model: "string",
    fallback_provider: "string",
    fallback_backend: "string",
    fallback_model: "string",
    reason: "string",
    attempt: "number",
  },
};

const Row = Type.Object({}, { additionalProperties: true });
const parseDocument = compileParser(
  "OpenAPI document",
  Type.Object({ paths: Type.Record(Type.String(), Row) }, { additionalProperties: true }),
);
const parseEntries = compileParser(
  "entries of a timeline",
  Type.Array(
    Type.Object({
      id: Type.String(),
      event_type: Type.String(),
      status: Type.String(),
      stage_id: Type.Optional(Type.String()),
      content: Type.Optional(Type.String()),
      metadata: Type.Optional(Row),
    }),
  ),
);
const parseSession = compileParser(
  "session",
  Type.Object({
    approvals: Type.Array(Type.Object({ approval_id: Type.String() })),
    total_stages: Type.Integer(),
    stages: Type.Array(
      Type.Object({ id: Type.String(), stage_type: Type.String(), stage_index: Type.Integer() }),
    ),
  }),
);
const parseMessage = compileParser("message of the dialect", Type.Union(Object.values(DIALECT_MESSAGES)));
const parseMemories = compileParser("memories", Type.Array(Type.Object({ id: Type.String() })));

describe("every member of the contract, in the running system", () => {
  let pipeline: PipelineFixture;
  let check: ContractCheck;
  let paths: readonly string[];
  const watchers = new Map<string, ContractClient>();

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: {
        tarsy: TARSY,
        providers: PROVIDERS,
        script: SCRIPT,
        skills: { kubectl: SKILL },
        stubTools: {
          servers: {
            k8s: {
              events: { read_only: true, results: [{ bytes: 60_000 }] },
              remove: { effect: "write", approve: true, results: [{ text: "removed" }] },
            },
          },
        },
      },
      files: { "broken.yaml": stringify(BROKEN) },
      env: { APPROVAL_TOKEN: TOKEN },
    });
    const document: unknown = await (await fetch(`${pipeline.system.api}/api/v1/openapi.json`)).json();
    check = new ContractCheck(document);
    paths = Object.entries(parseDocument(document).paths).flatMap(([path, item]) =>
      Reflect.has(item, "get") ? [path] : [],
    );
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });
  after(async () => {
    for (const watcher of watchers.values()) watcher[Symbol.dispose]();
    await pipeline[Symbol.asyncDispose]();
  });

  /** Sends a request, and holds the answer against the document. */
  const ask = async (method: string, url: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${pipeline.system.api}${url}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    check.check({ method, url, status: response.status, type, body: text });
    expect(response.status, `${method} ${url}: ${text.slice(0, 300)}`).to.be.within(200, 299);
    return text === "" ? undefined : JSON.parse(text);
  };
  const get = async (url: string) => ask("GET", url);
  /** Reads all that can be read of a session. */
  const readAll = async (
    id: string,
    { other, isScored }: { readonly other: string; readonly isScored: boolean },
  ) => {
    const trace = await get(`/api/v1/sessions/${id}/trace`);
    const { llm, tools } = traceCalls(trace);
    for (const path of paths.filter((one) => one.startsWith("/api/v1/sessions/{id}"))) {
      const calls = path.includes("/llm/") ? llm : tools;
      const ids = path.includes("{interaction}") ? calls.map((call) => call.id) : [""];
      if (path.endsWith("/score") && !isScored) continue;
      const query = path.endsWith("/comparison") ? `?with=${other}` : "";
      for (const call of ids) await get(path.replace("{id}", id).replace("{interaction}", call) + query);
    }
  };
  const submit = async (data: string, alert_type: string) => {
    const id = await pipeline.client.submit(data, { alert_type });
    watchers.set(id, new ContractClient(pipeline.system.dialect, id));
    return id;
  };
  const scored = async (id: string) =>
    until("the session is scored", async () => {
      const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${id}/score`);
      return body["status"] === "completed";
    });
  const stepsOf = async (id: string) => {
    const rows = await get(`/api/v1/sessions/${id}/review-activity`);
    return compileParser(
      "activities",
      Type.Object({
        activities: Type.Array(
          Type.Object({ action: Type.String(), from_status: Type.Unknown(), to_status: Type.String() }),
        ),
      }),
    )(rows).activities.map(({ action, from_status, to_status }) => [action, from_status, to_status]);
  };

  it("is there for sessions of every kind, over REST and the socket, in its order", async () => {
    const hanging = await submit("HANG until it is too late", "plain");
    const [full, refused, cancelled] = [
      await submit("the shop is away", "full"),
      await submit("REFUSE this", "plain"),
      await submit("HANG until somebody cancels", "plain"),
    ];
    await pipeline.client.waitFor(cancelled, ["in_progress"]);
    await get("/api/v1/sessions/active");
    await ask("POST", `/api/v1/sessions/${cancelled}/cancel`);
    await pipeline.client.waitFor(cancelled, ["cancelled"]);
    await pipeline.client.waitFor(refused, ["failed"]);

    const approval = await until("the action waits for a person", async () => {
      const { approvals } = parseSession(await get(`/api/v1/sessions/${full}`));
      return approvals[0]?.approval_id;
    });
    await ask("POST", `/api/v1/sessions/${full}/approvals/${approval}`, { decision: "approve" });
    await pipeline.client.waitFor(full, ["completed"]);
    await scored(full);
    await ask("POST", `/api/v1/sessions/${full}/chat/messages`, { content: "Why is it full?" });
    const watcher = watchers.get(full);
    await watcher?.until(() =>
      watcher.messages.some((one) => one["stage_type"] === "chat" && one["status"] === "completed"),
    );
    await pipeline.client.waitFor(hanging, ["timed_out"]);

    const review = async (id: string, action: string, fields: object = {}) =>
      ask("PATCH", "/api/v1/sessions/review", { session_ids: [id], action, ...fields });
    await review(full, "complete", {
      quality_rating: "accurate",
      action_taken: "a",
      investigation_feedback: "f",
    });
    await review(full, "update_feedback", { action_taken: "" });
    await review(refused, "acknowledge");
    for (const action of ["claim", "unclaim", "claim", "acknowledge", "reopen"])
      await review(hanging, action);
    expect(await stepsOf(full)).to.deep.equal([
      ["claim", "needs_review", "in_progress"],
      ["complete", "in_progress", "reviewed"],
      ["update_feedback", "reviewed", "reviewed"],
    ]);
    expect(await stepsOf(refused)).to.deep.equal([
      ["claim", "needs_review", "in_progress"],
      ["acknowledge", "in_progress", "reviewed"],
    ]);
    expect(await stepsOf(hanging)).to.deep.equal([
      ["claim", "needs_review", "in_progress"],
      ["unclaim", "in_progress", "needs_review"],
      ["claim", "needs_review", "in_progress"],
      ["acknowledge", "in_progress", "reviewed"],
      ["reopen", "reviewed", "needs_review"],
    ]);

    await readAll(full, { other: refused, isScored: true });
    for (const id of [refused, cancelled, hanging]) await readAll(id, { other: full, isScored: false });
    const days = "?start_date=2020-01-01T00:00:00Z&end_date=2020-12-01T00:00:00Z";
    const now = `?start_date=${new Date(Date.now() - 86_400_000).toISOString()}&end_date=${new Date(Date.now() + 86_400_000).toISOString()}`;
    const [memory] = parseMemories(await get(`/api/v1/sessions/${full}/memories`));
    for (const path of paths.filter((one) => !one.startsWith("/api/v1/sessions/{id}"))) {
      if (path === "/api/v1/audit") continue;
      const url = path.replace("{memory}", memory?.id ?? "").replace("{name}", "kubectl");
      if (path.includes("/usage/")) for (const window of [days, now]) await get(url + window);
      else if (!path.includes("{group}")) await get(url);
      else
        for (const group of ["investigating", "needs_review", "in_progress", "reviewed"]) {
          await get(url.replace("{group}", group));
        }
    }
    await ask("PATCH", `/api/v1/memories/${memory?.id ?? ""}`, { deprecated: true });

    const session = await get(`/api/v1/sessions/${full}`);
    const { stages, total_stages } = parseSession(session);
    expect(stages.map(({ stage_type, stage_index }) => [stage_index, stage_type])).to.deep.equal([
      [1, "investigation"],
      [2, "synthesis"],
      [3, "action"],
      [4, "exec_summary"],
      [5, "scoring"],
      [6, "chat"],
      // What the feedback teaches.
      [7, "scoring"],
    ]);
    expect(total_stages).to.equal(7);
    expect(session).to.have.nested.property("stages[1].referenced_stage_id", stages[0]?.id);
    const executions = "stages[0].executions";
    for (const name of ["parent_execution_id", "task", "model_name"]) {
      expect(session).to.have.nested.property(`${executions}[0].sub_agents[0].${name}`).that.is.a("string");
    }
    for (const name of ["llm_provider", "llm_backend", "model_name"]) {
      expect(session).to.have.nested.property(`${executions}[1].original_${name}`).that.is.a("string");
    }
    expect(session).to.have.nested.property(`${executions}[1].fallback_reason`).that.is.a("string");
    expect(session).to.have.nested.property(`${executions}[1].fallback_attempt`).that.is.a("number");

    const entries = parseEntries(await get(`/api/v1/sessions/${full}/timeline`));
    expect(entries.map(({ event_type }) => event_type)).to.include.members([
      ...Object.keys(METADATA),
      "llm_response",
      "final_analysis",
      "executive_summary",
      "task_assigned",
    ]);
    for (const { event_type, metadata = {} } of entries) hasMetadata(event_type, metadata);
    const shown = new Set(stages.map(({ id }) => id));
    const ofStages = new Set(entries.flatMap(({ stage_id }) => stage_id ?? []));
    expect([...ofStages].every((id) => shown.has(id))).to.equal(true);
    expect(ofStages.has(stages[3]?.id ?? "")).to.equal(true);
    for (const [id, client] of watchers) hasOrder(id, client.messages);
    const wanted = entries.filter(({ event_type }) => event_type !== "executive_summary");
    expect([...(watcher?.entries.keys() ?? [])].toSorted()).to.deep.equal(
      wanted.map(({ id }) => id).toSorted(),
    );
    expect(check.problems).to.deep.equal([]);
  });
});

function hasMetadata(type: string, metadata: object): void {
  for (const [name, kind] of Object.entries(METADATA[type] ?? {})) {
    expect(metadata, type).to.have.property(name).that.is.a(kind);
  }
}

/** Holds the messages about a session against their schemas, and against the order on which clients rely. */
function hasOrder(id: string, messages: readonly Readonly<Record<string, unknown>>[]): void {
  const about = messages.filter((message) => message["session_id"] !== undefined);
  for (const message of messages) parseMessage(message);
  expect(new Set(about.map((message) => message["session_id"]))).to.deep.equal(new Set([id]));
  const cursors = about.flatMap((message) =>
    typeof message["db_event_id"] === "number" ? message["db_event_id"] : [],
  );
  expect(cursors).to.deep.equal(cursors.toSorted((a, b) => a - b));
  const running = new Set<unknown>();
  for (const message of about) {
    const { type, status, stage_id } = message;
    if (type === "stage.status") status === "started" ? running.add(stage_id) : running.delete(stage_id);
    if (type !== "timeline_event.created") continue;
    // A question precedes the stage that answers it.
    if (message["event_type"] !== "user_question") {
      expect(running.has(stage_id), `${String(message["event_type"])} while its stage runs`).to.equal(true);
    }
    hasMetadata(String(message["event_type"]), { ...Object(message["metadata"]) });
  }
}
