import type { Cassette } from "#shared/cassette/cassette.ts";
import type { RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { findContextBlock } from "#shared/contracts/context-block.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { callKey, normaliseCall } from "#shared/worlds/normalise-call.ts";
import type { World, WorldAnswer, WorldTool } from "#shared/worlds/world-format.ts";
import { MISS, storable } from "./source.ts";

const parseTools = compileParser("recorded tools", Type.Array(ToolDescription));
const parseSchema = compileParser("schema of a tool", Type.Record(Type.String(), Type.Unknown()));
const parseResult = compileParser(
  "recorded result",
  Type.Object({ content: Type.String(), is_error: Type.Optional(Type.Boolean()) }),
);

/**
 * The world of a session that was recorded: its tools as they were listed, and what they answered to the calls of all its agents. Throws an
 * Error that says what is missing in the cassette.
 */
export function sessionWorld(cassette: Cassette): World {
  const { session, runbook, executions } = cassette;
  const servers = serversOf(cassette);
  const known = new Set<string>(servers.flatMap(({ id, tools }) => tools.map(({ name }) => `${id}.${name}`)));
  const kept = new Map(cassette.kept_results.map(({ call_id, content }) => [call_id, content]));
  const calls = executions
    .flatMap(({ tool_calls }) => tool_calls.filter(({ is_built_in }) => !is_built_in))
    .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  const answers = calls.flatMap((call) => {
    const answer = answerOf(call, kept);
    if (answer === undefined) return [];
    if (!known.has(answer.tool)) throw incomplete(`the listing of ${answer.tool}, which was called`);
    return [answer];
  });
  if (answers.length === 0) throw new Error("the session has called no tool, so it makes no world");
  const [block] = executions.flatMap(({ messages }) => findContextBlock(messages) ?? []);
  const id = `sessions/${session.session_id}`;
  return {
    format: "tarsy-world",
    version: 1,
    id,
    source: {
      name: "session of TARSy",
      repository: "",
      commit: "",
      path: session.session_id,
      importer: "session/1",
      changes: [],
    },
    licence: null,
    clock: {
      now: block === undefined ? session.created_at : new Date(block.nowMs).toISOString(),
      from: "given",
    },
    alert: { type: session.alert_type ?? session.agent_type, data: session.alert_data },
    ...(typeof runbook?.text === "string" ? { runbook: runbook.text } : {}),
    servers,
    answers: inSequence(answers, servers),
    miss: MISS,
  };
}

/**
 * A world with the tools and answers of another one of the same alert: those of `other` come first, and where both answer a call, its answers
 * become a sequence. Throws an Error for a world of another alert.
 */
export function mergedWorld(world: World, other: World): World {
  if (world.alert.data !== other.alert.data) {
    throw new Error(`${other.id} is a world of another alert: only investigations of one alert are merged`);
  }
  const ids = new Set([...other.servers, ...world.servers].map(({ id }) => id));
  const servers = [...ids].map((id) => {
    const both = [...other.servers, ...world.servers].filter((server) => server.id === id);
    const tools = new Map(both.flatMap((server) => server.tools.map((tool) => [tool.name, tool] as const)));
    return { ...both.at(-1), id, tools: [...tools.values()] };
  });
  const changes = [...world.source.changes, `merged with ${other.id}`];
  return {
    ...world,
    source: { ...world.source, changes },
    servers,
    answers: inSequence([...other.answers, ...world.answers], servers),
  };
}

function serversOf({ executions }: Cassette): World["servers"] {
  const tools = new Map<string, Map<string, WorldTool>>();
  for (const { server, tools: listed } of executions.flatMap(({ listings }) => listings)) {
    if (server === BUILT_IN_SERVER) continue;
    const own = tools.get(server) ?? new Map<string, WorldTool>();
    tools.set(server, own);
    for (const { name, description, parameters_schema, read_only } of parseTools(listed)) {
      const short = name.slice(server.length + 1);
      const schema = parseSchema(JSON.parse(parameters_schema));
      own.set(short, { name: short, description, schema, schema_from: "given", read_only });
    }
  }
  return Array.from(tools, ([id, own]) => ({ id, tools: [...own.values()] }));
}

/** Undefined for a call that no tool answered, because it was refused. */
function answerOf(call: RecordedToolCall, kept: ReadonlyMap<string, string>): WorldAnswer | undefined {
  const { server, tool: name, call_id, arguments: asked, result, error_message, outcome } = call;
  const tool = `${server}.${name}`;
  const kind = isJsonObject(outcome) ? outcome["kind"] : undefined;
  if (kind === "refused" || kind === "unknown_tool") return undefined;
  const args: JsonObject = isJsonObject(asked) ? asked : {};
  if (result === null) {
    if (error_message === null) throw incomplete(`the result of a call of ${tool}`);
    return { tool, args, text: storable(error_message).text, is_error: true };
  }
  const { content, is_error = false } = parseResult(result);
  const whole = kept.get(call_id);
  if (whole === undefined && content.includes(call_id)) {
    throw incomplete(`the whole result of a call of ${tool}`);
  }
  return { tool, args, text: storable(whole ?? content).text, ...(is_error ? { is_error } : {}) };
}

/** Numbers the answers to each call. One that says the same as that before it is left out: the last one repeats. */
function inSequence(answers: readonly WorldAnswer[], servers: World["servers"]): WorldAnswer[] {
  const rules = new Map<string, WorldTool["normalise"]>(
    servers.flatMap(({ id, tools }) => tools.map((tool) => [`${id}.${tool.name}`, tool.normalise] as const)),
  );
  const last = new Map<string, WorldAnswer>();
  return answers.flatMap(({ nth: _nth, ...answer }) => {
    const { tool, args, match = "equal", text, is_error = false } = answer;
    const key = JSON.stringify([tool, match, callKey(normaliseCall(rules.get(tool), args))]);
    const before = last.get(key);
    if (before?.text === text && (before.is_error ?? false) === is_error) return [];
    const numbered = before === undefined ? answer : { ...answer, nth: (before.nth ?? 1) + 1 };
    last.set(key, numbered);
    return [numbered];
  });
}

function incomplete(what: string): Error {
  return new Error(`the cassette is incomplete: it does not have ${what}`);
}
