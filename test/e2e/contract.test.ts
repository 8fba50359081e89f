import { expect } from "chai";
import { stringify } from "yaml";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ContractCheck } from "../../services/api/test/contract-check.ts";
import { ContractClient } from "../support/contract-client.ts";
import { BROKEN_SCRIPT, CONTRACT_CONFIG, TOKEN } from "../support/contract-config.ts";
import { METADATA, hasMetadata, hasOrder } from "../support/contract-order.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { traceCalls } from "../support/trace-calls.ts";
import { until } from "../support/until.ts";

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
const parseMemories = compileParser("memories", Type.Array(Type.Object({ id: Type.String() })));

describe("every member of the contract, in the running system", () => {
  let pipeline: PipelineFixture;
  let check: ContractCheck;
  let paths: readonly string[];
  const watchers = new Map<string, ContractClient>();

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: CONTRACT_CONFIG,
      files: { "broken.yaml": stringify(BROKEN_SCRIPT) },
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
      // No agent states one as data; `services/api/test/conclusions.test.ts` reads it.
      if (path.endsWith("/conclusion")) continue;
      // No result is so large that it is kept; `services/api/test/result-lines.test.ts` reads one.
      if (path.endsWith("/result")) continue;
      const query = path.endsWith("/comparison") ? `?with=${other}` : "";
      for (const call of ids) await get(path.replace("{id}", id).replace("{interaction}", call) + query);
    }
  };
  /** Reads all that can be read beside sessions. */
  const readOthers = async (memoryId: string) => {
    const days = "?start_date=2020-01-01T00:00:00Z&end_date=2020-12-01T00:00:00Z";
    const now = `?start_date=${new Date(Date.now() - 86_400_000).toISOString()}&end_date=${new Date(Date.now() + 86_400_000).toISOString()}`;
    for (const path of paths.filter((one) => !one.startsWith("/api/v1/sessions/{id}"))) {
      if (path === "/api/v1/audit" || path === "/api/v1/oauth/callback") continue;
      const url = path.replace("{memory}", memoryId).replace("{name}", "kubectl");
      const groups = path.includes("{group}")
        ? ["investigating", "needs_review", "in_progress", "reviewed"]
        : [""];
      const windows = path.includes("/usage/") ? [days, now] : [""];
      for (const group of groups) {
        for (const window of windows) await get(url.replace("{group}", group) + window);
      }
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
    for (const action of ["claim", "unclaim", "claim", "acknowledge", "reopen"]) {
      await review(hanging, action);
    }
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
    const [memory] = parseMemories(await get(`/api/v1/sessions/${full}/memories`));
    await readOthers(memory?.id ?? "");
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
