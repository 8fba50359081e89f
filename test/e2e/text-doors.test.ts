/* oxlint-disable max-lines -- one driver for each door of the register, in one place */
import { createHmac, randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { WebSocket } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { OTHER_DOORS, ROUTE_TEXTS } from "#shared/masking/text-doors.ts";
import { listenToAll, metricTexts, tableTexts } from "../support/all-places.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { hasSecret, SECRET_STATEMENTS } from "../support/secret-statements.ts";
import { SlackServer } from "../support/slack-server.ts";
import type { SseServer } from "../support/sse-server.ts";
import { doorsConfig, openDoorsModel } from "../support/text-doors-fixture.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { WebhookServer } from "../support/webhook-server.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const PAGERDUTY = "the-key-of-the-subscription-0123456789";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const STATEMENTS = SECRET_STATEMENTS.map(({ text }) => text);
const ALL = STATEMENTS.join("\n");
/** For members that take less. */
const HALVES = [STATEMENTS.slice(0, 15).join("\n"), STATEMENTS.slice(15).join("\n")];

const parseCall = compileParser("call", Type.Object({ id: Type.String() }));

describe("thirty secrets in every door of text", () => {
  const resources = new AsyncDisposableStack();
  /** What a client was answered. */
  const answers: string[] = [];
  const held = Promise.withResolvers<void>();
  let onBus: readonly string[];
  let model: SseServer;
  let slack: SlackServer;
  let hook: WebhookServer;
  let pipeline: PipelineFixture;
  let client: TarsyClient;
  /** A session that has ended, and one whose model does not answer. */
  let ended: string;
  let running: string;

  before(async () => {
    model = resources.use(await openDoorsModel(ALL, held.promise));
    slack = resources.use(await SlackServer.open());
    hook = resources.use(await WebhookServer.open());
    pipeline = resources.use(
      await PipelineFixture.start({
        config: doorsConfig(model.url, hook.url),
        env: {
          LOG_LEVEL: "debug",
          AUTH_MODE: "private",
          AUTH_TOKEN: TOKEN,
          SLACK_BOT_TOKEN: slack.token,
          SLACK_API_URL: slack.url,
          OPS_SECRET: SECRET,
          PD_SECRET: PAGERDUTY,
        },
      }),
    );
    const { api, ws } = pipeline.system;
    client = new TarsyClient({ api, ws, headers: { authorization: `Bearer ${TOKEN}` } });
    onBus = await listenToAll(pipeline.servers, resources);
    ended = await completed("look at the pods");
    running = await client.submit("x", { alert_type: "HOLD" });
    await client.waitFor(running, ["in_progress"]);
    await until("the model is asked", () =>
      model.requests.some(({ body }) => JSON.stringify(body).includes("Do HOLD.")),
    );
  });
  afterEach(function () {
    pipeline?.showOutputOf(this.currentTest);
  });
  after(async () => {
    held.resolve();
    await resources.disposeAsync();
  });

  /** Sends any request with the credential, and keeps the answer. */
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isText = typeof body === "string";
    const response = await fetch(`${pipeline.system.api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "content-type": isText ? "text/plain" : "application/json",
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    answers.push(`${method} ${path} ${response.status} ${text}`);
    return response.status;
  };
  const accepted = async (method: string, path: string, body: unknown, headers?: Record<string, string>) => {
    const status = await send(method, path, body, headers);
    expect(status, answers.at(-1)).to.be.within(200, 204);
  };
  /** A session takes one question at a time. */
  const untilAnswered = async () =>
    until("all questions are answered", async () => {
      const [row] = await pipeline.servers.query(
        "SELECT count(*)::text AS id FROM follow_ups WHERE completed_at IS NULL",
        [],
      );
      return parseCall(row).id === "0";
    });
  const completed = async (data: string, fields: object = {}) => {
    const id = await client.submit(data, fields);
    expect((await client.waitFor(id, ["completed", "failed"])).status).to.equal("completed");
    return id;
  };
  const toSession = (id: string, path: string) => `/api/v1/sessions/${id}/${path}`;
  const fork = async (changes: object) => send("POST", toSession(ended, "fork"), { changes });
  const review = async (fields: object) =>
    accepted("PATCH", "/api/v1/sessions/review", {
      session_ids: [ended],
      action: "complete",
      quality_rating: "accurate",
      ...fields,
    });
  /** Asks a person about a call, and answers with the reason. */
  const decide = async (reason: string) => {
    const id = await client.submit("x", { alert_type: "REMOVE" });
    const approval = await until("a person is asked", async () => {
      const [row] = await pipeline.servers.query(
        "SELECT approval_id::text AS id FROM approvals WHERE session_id = $1 AND state = 'awaiting_approval'",
        [id],
      );
      return row === undefined ? undefined : parseCall(row).id;
    });
    await accepted("POST", toSession(id, `approvals/${approval}`), { decision: "deny", reason });
    await client.waitFor(id, ["completed", "failed"]);
  };
  const signed = (body: object) => ({
    "x-pagerduty-signature": `v1=${createHmac("sha256", PAGERDUTY).update(JSON.stringify(body)).digest("hex")}`,
  });

  /** By route and member, what plants the secrets there. Those that are only looked up have none. */
  const members: Readonly<Record<string, () => Promise<unknown>>> = {
    "POST /api/v1/alerts data": async () => completed(ALL),
    "POST /api/v1/alerts runbook": async () => completed("x", { runbook: ALL }),
    "POST /api/v1/alerts mcp.servers[].tools[]": async () =>
      completed("x", { mcp: { servers: [{ name: "k8s", tools: ["pods", ...STATEMENTS] }] } }),
    "POST /api/v1/alerts slack_message_fingerprint": async () => {
      for (const half of HALVES) await completed("x", { slack_message_fingerprint: half });
    },
    "POST /api/v1/webhooks/alertmanager ": async () => {
      const alert = {
        status: "firing",
        labels: { alertname: ALL },
        annotations: { summary: ALL },
        startsAt: "2026-11-23T08:00:00Z",
        fingerprint: "f",
      };
      for (const status of ["firing", "resolved"]) {
        const group = { groupKey: ALL, receiver: ALL, alerts: [{ ...alert, status }], externalURL: ALL };
        await accepted("POST", "/api/v1/webhooks/alertmanager", group);
      }
    },
    "POST /api/v1/webhooks/:source ": async () => {
      for (const event_type of ["incident.triggered", "incident.annotated"]) {
        const event = { id: randomUUID(), event_type, data: { id: ALL, title: ALL } };
        await accepted("POST", "/api/v1/webhooks/pagerduty", { event }, signed({ event }));
      }
    },
    "POST /api/v1/webhooks/raw ": async () => accepted("POST", "/api/v1/webhooks/raw", ALL),
    "POST /mcp ": async () => {
      const accept = { accept: "application/json, text/event-stream" };
      const call = async (name: string, args: object) =>
        accepted(
          "POST",
          "/mcp",
          { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
          accept,
        );
      await call("investigate", { data: ALL, runbook: ALL });
      await call("ask", { session_id: ended, question: ALL });
      for (const statement of STATEMENTS) await call("search_past", { [statement]: "x" });
      await call(ALL, {});
    },
    "POST /api/v1/agui ": async () => {
      const run = async (threadId: string, content: string, forwardedProps?: object) =>
        accepted("POST", "/api/v1/agui", {
          threadId,
          runId: "r",
          messages: [{ id: randomUUID(), role: "user", content }],
          forwardedProps,
        });
      await run("planted", ALL, { runbook: ALL });
      await untilAnswered();
      await run(ended, ALL);
    },
    "PATCH /api/v1/sessions/review action_taken": async () => review({ action_taken: ALL }),
    "PATCH /api/v1/sessions/review investigation_feedback": async () =>
      review({ investigation_feedback: ALL }),
    "PATCH /api/v1/memories/:memory content": async () => {
      const id = randomUUID();
      await pipeline.servers.query(
        `INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, teams, origin)
         VALUES ($1, 'x', 'procedural', 'neutral', 0.7, '{}', 'investigation')`,
        [id],
      );
      await accepted("PATCH", `/api/v1/memories/${id}`, { content: ALL });
    },
    "POST /api/v1/sessions/:id/messages content": async () =>
      accepted("POST", toSession(running, "messages"), { mode: "note", content: ALL }),
    "POST /api/v1/sessions/:id/park reason": async () => {
      for (const reason of HALVES) await accepted("POST", toSession(running, "park"), { reason });
    },
    "POST /api/v1/sessions/:id/fork changes.model": async () => {
      const statuses = await Promise.all(STATEMENTS.map(async (name) => fork({ model: name })));
      expect(new Set(statuses)).to.deep.equal(new Set([400]));
    },
    "POST /api/v1/sessions/:id/fork changes.custom_instructions": async () =>
      expect(await fork({ custom_instructions: ALL })).to.equal(202),
    "POST /api/v1/sessions/:id/fork changes.tool_result.content": async () => {
      const [row] = await pipeline.servers.query(
        "SELECT interaction_id::text AS id FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'",
        [ended],
      );
      const tool_result = { interaction_id: parseCall(row).id, content: ALL };
      expect(await fork({ tool_result }), answers.at(-1)).to.equal(202);
    },
    "POST /api/v1/sessions/:id/chat/messages content": async () => {
      await untilAnswered();
      await accepted("POST", toSession(ended, "chat/messages"), { content: ALL });
    },
    "POST /api/v1/sessions/:id/approvals/:approval reason": async () => {
      for (const reason of HALVES) await decide(reason);
    },
    "PUT /api/v1/budgets key": async () => {
      for (const key of STATEMENTS) {
        expect(await send("PUT", "/api/v1/budgets", { scope: "team", key, limit_calls: 1 }), key).to.equal(
          400,
        );
      }
    },
  };

  /** The doors that are no members of a route. */
  const others: Readonly<Record<keyof typeof OTHER_DOORS, (() => Promise<unknown>) | string>> = {
    "names of members that a body does not have": async () => {
      const names = Object.fromEntries(STATEMENTS.map((name) => [name, 1]));
      await accepted("POST", "/api/v1/alerts", { data: "x", ...names });
    },
    "path, host and origin of a refused request": async () => {
      const evil = { origin: "https://evil.example" };
      for (const text of STATEMENTS) {
        expect(await send("POST", `/api/v1/${encodeURIComponent(text)}`, {}, evil)).to.equal(403);
        answers.pop();
      }
      const lines = STATEMENTS.filter((text) => !text.includes("\n"));
      for (const origin of lines) expect(await send("GET", "/health", undefined, { origin })).to.equal(403);
    },
    "messages of WebSocket clients": async () => {
      const socket = new WebSocket(pipeline.system.ws, { headers: { authorization: `Bearer ${TOKEN}` } });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.once("open", () => {
        socket.send(JSON.stringify({ action: ALL, channel: ALL }));
        socket.send(JSON.stringify({ action: "subscribe", channel: `session:${ALL}` }));
        socket.once("message", () => socket.close());
      });
      await closed;
    },
    "errors, warnings and native tools of a model's provider": async () => {
      const id = await client.submit("x", { alert_type: "REFUSE" });
      const { status, error_message } = await client.waitFor(id, ["failed"]);
      expect([status, error_message]).to.deep.include("failed");
    },
    "answers of receivers of notifications, and of Slack": async () => {
      for (const [index, statement] of STATEMENTS.entries()) {
        // What was refused for good keeps its answer; what is tried again loses it once it is sent.
        hook.answer({ status: index % 2 === 0 ? 500 : 400, body: statement });
        slack.disturb({ kind: "error", error: statement });
      }
      await completed("x");
      await until("a receiver's answer is stored for good", async () => {
        await pipeline.servers.query("UPDATE outbox SET not_before = now() WHERE state = 'pending'", []);
        await pipeline.servers.query("UPDATE notification_destinations SET not_before = NULL", []);
        const [row] = await pipeline.servers.query(
          "SELECT count(*)::text AS id FROM outbox WHERE state = 'dead' AND last_error LIKE '%MASKED%'",
          [],
        );
        return Number(parseCall(row).id) > 0;
      });
    },
    "answer of a model": async () => completed(ALL, { alert_type: "ECHO" }),
    "headers X-Forwarded-User, X-Forwarded-Email and X-Remote-User without authentication":
      "services/api/test/text-doors.test.ts",
    "header tracestate": "services/api/test/text-doors.test.ts",
    "names and teams of `tarsy keys add`": "scripts/test/keys.test.ts",
    "answers of the TARSy that `tarsy import` reads": "scripts/test/import-tarsy.test.ts",
    "results, errors and progress of a tool": "test/e2e/mcp-secrets.test.ts",
    "descriptions, schemas and versions of an MCP server": "services/tool-runner/test/masking.test.ts",
    "standard error of an MCP server": "test/e2e/mcp-secrets.test.ts",
    "text of a runbook": "test/e2e/runbooks.test.ts",
    "arguments of a model": "test/e2e/mcp-secrets.test.ts",
  };

  const planted = Object.entries(ROUTE_TEXTS).flatMap(([route, texts]) =>
    Object.entries(texts).flatMap(([member, origin]) =>
      ["alert", "person", "name"].includes(origin) ? [`${route} ${member}`] : [],
    ),
  );

  it("are planted in every member of a request that the register has", async () => {
    expect(Object.keys(members).toSorted()).to.deep.equal(planted.toSorted());
    for (const plant of Object.values(members)) await plant();
  });

  it("are planted in every other door that the register has", async () => {
    expect(Object.keys(others).toSorted()).to.deep.equal(Object.keys(OTHER_DOORS).toSorted());
    for (const plant of Object.values(others)) if (typeof plant !== "string") await plant();
  });

  it("reach no table, message, answer, prompt, receiver, log or metric", async () => {
    held.resolve();
    await send("POST", toSession(running, "resume"));
    await until("everything has ended", async () => {
      const [row] = await pipeline.servers.query(
        `SELECT (SELECT count(*) FROM alert_sessions WHERE completed_at IS NULL) +
                (SELECT count(*) FROM follow_ups WHERE completed_at IS NULL) || '' AS id`,
        [],
      );
      return parseCall(row).id === "0";
    });
    for (const id of client.submitted) {
      for (const path of ["", "/timeline", "/events?limit=1000", "/trace", "/cassette", "/review-activity"]) {
        await send("GET", `/api/v1/sessions/${id}${path}`);
      }
    }
    for (const path of ["memories", "audit", "notifications", "budgets", "system/warnings", "sessions"]) {
      await send("GET", `/api/v1/${path}`);
    }
    // The executor's question to the tool-runner has the arguments as the model wrote them; nothing stores it.
    const places = [
      ...(await tableTexts(pipeline.servers)).map(([name, text]) => [`table ${name}`, text] as const),
      ...(await metricTexts(pipeline.system)).map(([name, text]) => [`metrics of ${name}`, text] as const),
      ["bus", onBus.filter((message) => !message.startsWith("tarsy.tools.call")).join("\n")],
      ["answers", answers.join("\n")],
      ["prompts", model.requests.map(({ body }) => JSON.stringify(body)).join("\n")],
      ["Slack", JSON.stringify(slack.posted())],
      ["receiver", JSON.stringify(hook.received)],
      ["logs", pipeline.system.output],
    ] as const;
    expect(places.filter(([, text]) => text.includes("MASKED_")).map(([place]) => place)).to.include.members([
      "table alert_sessions",
      "table events",
      "table session_review_activities",
      "table outbox",
      "table llm_interactions",
      "bus",
      "answers",
      "prompts",
    ]);
    const leaks = places.flatMap(([place, text]) =>
      SECRET_STATEMENTS.filter((secret) => hasSecret(text, secret)).map(({ name }) => `${name} in ${place}`),
    );
    expect(leaks).to.deep.equal([]);
  });
});
