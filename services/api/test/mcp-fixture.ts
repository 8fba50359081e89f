import { createHash, randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
import type { ApiFixture } from "./api-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { isJsonValue, type JsonValue } from "@modelcontextprotocol/ext-tasks/core";

const TASKS = "io.modelcontextprotocol/tasks";
/** What a client declares that knows tasks and can show forms. */
export const KNOWS_TASKS = { extensions: { [TASKS]: {} }, elicitation: { form: {} } };
const VERSION = "2026-07-28";
const INFO = { name: "test-client", version: "1.0.0" };

/** What the client's user does with a form. */
export type Elicited = (message: string) => {
  readonly action: "accept" | "decline";
  readonly content?: Record<string, string>;
};

/** The current official client, connected to an api. */
export async function connectMcp(
  api: string,
  headers: Readonly<Record<string, string>>,
  {
    mode = "auto",
    elicit,
    fetch: fetchWith,
  }: {
    readonly mode?: "auto" | "legacy";
    readonly elicit?: Elicited;
    readonly fetch?: typeof fetch;
  } = {},
): Promise<Client> {
  const client = new Client(INFO, {
    capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
    versionNegotiation: { mode },
  });
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => elicit(params.message));
  }
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", api), {
    requestInit: { headers: { ...headers } },
    ...(fetchWith === undefined ? {} : { fetch: fetchWith }),
  });
  await client.connect(transport);
  return client;
}

/** The requester of the tasks extension over a client of the current era. `api` is asked each time, so that it may move. */
export function taskSession(
  client: Client,
  api: () => string,
  headers: Readonly<Record<string, string>>,
  elicit?: Elicited,
): TaskEnabledSession {
  const sender = rawMcp(api, headers);
  return createTaskSessionFromClient(client, {
    endpointId: "tarsy",
    v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: {} },
    rawDispatch: async (request) => {
      const answer = await sender(request);
      if ("error" in answer.body) {
        const { error } = answer.body;
        if (!isError(error)) throw new Error(JSON.stringify(error));
        return { kind: "error", error };
      }
      const { result } = answer.body;
      if (!isJsonValue(result)) throw new Error(`no result: ${JSON.stringify(answer)}`);
      return { kind: "result", result };
    },
    ...(elicit === undefined
      ? {}
      : {
          onInputRequest: createApplicationInputHandler({
            elicitation: ({ params }) => elicit(textFrom(params["message"])),
            sampling: notAsked,
            roots: notAsked,
          }),
        }),
  });
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A text as it is; anything else as JSON. */
export function textFrom(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function notAsked(): never {
  throw new Error("the server asks its users only");
}

function isError(value: unknown): value is { readonly code: number; readonly message: string } {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

let nextId = 1;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends messages as they are, with the envelope of the current era unless they have one. */
export function rawMcp(api: () => string, headers: Readonly<Record<string, string>>) {
  return async (request: JsonValue, capabilities: JsonValue = {}): Promise<RawAnswer> => {
    const { method, params } = membersOf(request);
    const given = membersOf(params);
    const meta = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": INFO,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...membersOf(given["_meta"]),
    };
    const name: unknown = given["name"] ?? given["uri"] ?? given["taskId"];
    const response = await fetch(`${api()}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": textFrom(method),
        ...(typeof name === "string" ? { "mcp-name": name } : {}),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params: { ...given, _meta: meta } }),
    });
    const text = await response.text();
    const body: unknown = text === "" ? {} : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: membersOf(body) };
  };
}

/** The text of a tool's result. */
export function textOf(result: { readonly content?: unknown }): string {
  return JSON.stringify(result.content);
}

const ARGUMENTS = '{"pod":"checkout\u202E-1"}';
/** Of the arguments of these calls. */
export const HASH = createHash("sha256").update(ARGUMENTS).digest("hex");

/** A question about a tool call that a session waits for; resolves with its id. */
export async function openQuestion({ servers }: Pick<ApiFixture, "servers">, id: string): Promise<string> {
  const approval = randomUUID();
  await servers.query(
    "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
    [id],
  );
  await servers.query(
    `UPDATE session_runtime SET not_before = now() + interval '1 h', waiting_since = now(),
       waiting_for = '{"kind":"approval","reason":"a person must agree","since":"2026-01-01T00:00:00.000Z",
         "until":"2026-01-01T00:01:00.000Z","pauses_deadline":true}' WHERE session_id = $1`,
    [id],
  );
  await servers.query(
    `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
     VALUES ($1, $2, $3, $4, 'k8s.remove', $5, $6, 'awaiting_approval', now() + interval '1 h')`,
    [approval, id, randomUUID(), randomUUID(), ARGUMENTS, HASH],
  );
  return approval;
}

/** Resolves once an api has reached NATS. */
export async function connectedToBus({ deps }: Pick<ApiFixture, "deps">): Promise<void> {
  await until("the api is connected to the bus", async () => (await deps.dispatcher.queued()).size >= 0);
}

/** The number of places that streams and waiting calls take in an api. */
export async function takenPlaces({ deps }: Pick<ApiFixture, "deps">): Promise<number> {
  const { values } = await deps.metrics.sseConnections.get();
  return values[0]?.value ?? 0;
}

/** The address of an api of the tests. */
export function addressOf({ port }: Pick<ApiFixture, "port">): string {
  return `http://127.0.0.1:${port}`;
}

/** A configuration whose sessions are a team's, but those of the type `kubernetes`. */
export const OF_TEAMS = {
  defaults: { llm_provider: "scripted", alert_type: "test" },
  agents: { TestAgent: { mcp_servers: [] } },
  agent_chains: {
    "of-the-team": {
      alert_types: ["team-alert", "test"],
      teams: ["platform"],
      stages: [{ name: "look", agents: [{ name: "TestAgent" }] }],
    },
    "kubernetes-agent-chain": {
      alert_types: ["kubernetes"],
      stages: [{ name: "look", agents: [{ name: "TestAgent" }] }],
    },
  },
};

/** A client that has started an investigation. */
export async function investigate(
  api: ApiFixture,
  headers: Readonly<Record<string, string>>,
  args: Record<string, unknown> = {},
) {
  const client = await connectMcp(addressOf(api), headers);
  const result = await client.callTool({
    name: "investigate",
    arguments: { data: "pods restart", ...args },
  });
  return { client, result, id: textFrom(membersOf(result.structuredContent)["session_id"]) };
}

/** What tests of tasks do with the api that is there when they do it, or with another one. */
export function taskCalls(api: () => ApiFixture) {
  type Headers = Readonly<Record<string, string>>;
  const send = (headers: Headers, on = api()) => rawMcp(() => addressOf(on), headers);
  return {
    send,
    /** A key with scopes; by default with all of them. */
    keyOf: async (
      subject: string,
      role: "viewer" | "submitter" | "operator",
      scopes = "{read,write,decide}",
    ) => {
      const headers = await api().keyOf(subject, [role]);
      await api().db.query("UPDATE api_keys SET scopes = $2 WHERE subject = $1", [subject, scopes]);
      return headers;
    },
    /** Starts an investigation as a task. */
    start: async (headers: Headers, on = api()) => {
      const { body } = await send(headers, on)(
        { method: "tools/call", params: { name: "investigate", arguments: { data: "x" } } },
        KNOWS_TASKS,
      );
      const task = membersOf(body["result"]);
      return { task, taskId: textFrom(task["taskId"]) };
    },
    poll: async (headers: Headers, id: string, on = api()) =>
      (await send(headers, on)({ method: "tasks/get", params: { taskId: id } })).body,
  };
}
