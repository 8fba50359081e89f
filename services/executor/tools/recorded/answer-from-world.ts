import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { WORLD_ANSWERS } from "#shared/database/tables/worlds.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { compileArgumentsCheck } from "#shared/tool-arguments/check-arguments.ts";
import { fitArguments } from "#shared/tool-arguments/fit-arguments.ts";
import { parseArguments } from "#shared/tool-arguments/parse-arguments.ts";
import { matchCall, type Match } from "#shared/worlds/match-call.ts";
import { callKey, normaliseCall } from "#shared/worlds/normalise-call.ts";
import { sha256 } from "#shared/worlds/world-hash.ts";
import type { WorldTool } from "#shared/worlds/world-format.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { storeMaskedValues } from "../../persist/store-masked-values.ts";
import { toolNames } from "../record-tool-call.ts";
import { shownOutcome } from "../shown-outcome.ts";
import type { ToolOutcome } from "../tool-outcome.ts";
import { readWorld, type StoredWorld } from "./read-world.ts";

/** A call of a tool that the world offers. */
interface WorldCall {
  readonly callId: string;
  /** "server.tool" */
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
  /** A longer answer is shown as a window. */
  readonly maxChars: number;
}

/** Agents that run side by side must not get the same place. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('world calls ' || $1::uuid, 0))::text";

/** The place of this call among those of its session with this key: the one that it got before, else the next. */
const PLACE = `
SELECT coalesce(max(nth) FILTER (WHERE call_id = $1), count(*) + 1)::int AS nth FROM world_calls
WHERE session_id = $2 AND tool = $3 AND key_hash = $4`;
const parsePlace = compileParser("place of a call", Type.Object({ nth: Type.Integer() }));

const ANSWERS = `
SELECT args, match, nth, text, is_error FROM world_answers
WHERE hash = $1 AND tool = $2 AND (key_hash = $3 OR match <> 'equal') ORDER BY ordinal`;
const parseAnswer = compileParser(
  "answer of a world",
  Type.Object({
    ...rowMembers(WORLD_ANSWERS, "match", "nth", "text", "is_error"),
    args: Type.Record(Type.String(), Type.Unknown()),
  }),
);

const NOTE = `
INSERT INTO world_calls (call_id, session_id, tool, key_hash, nth, match) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

/**
 * The outcome of a call of a session that a world answers: arguments are refused, and the text is masked and windowed, as a tool-runner
 * would. The same call gets the same answer however often it is asked. Throws database errors.
 */
export async function answerFromWorld(
  { session, state }: Pick<ExecutionRun, "session" | "state">,
  call: WorldCall,
): Promise<ToolOutcome> {
  const { server_name: server, tool_name } = toolNames(call.name);
  const world = await readWorld(session.db, session.sessionId);
  const tool = world.servers.find(({ id }) => id === server)?.tools.find(({ name }) => name === tool_name);
  if (tool === undefined) throw new TerminalError("malformed", `the world has no tool ${call.name}`);
  const args = argumentsOf(tool, call.arguments);
  if (typeof args === "string") return { kind: "result", content: args, isError: true };
  const found = await ask(session, { world, tool, call, args });
  const { text, isError } = found.kind === "miss" ? { text: world.miss, isError: true } : found;
  const { masker, rules } = session.masking;
  const masked = await masker.mask(text, {
    rules: rules.get(server) ?? rulesOfServer(),
    key: state.alert.maskKey,
  });
  await storeMaskedValues(session, masked.values);
  return shownOutcome(session, masked.text, { maxChars: call.maxChars, handle: call.callId, isError });
}

/** The arguments as the tool gets them; a text for the model if they are refused. */
function argumentsOf({ schema }: WorldTool, text: string): Record<string, unknown> | string {
  const written = parseArguments(text);
  if (typeof written === "string") return written;
  const args = fitArguments(written, schema);
  return compileArgumentsCheck(JSON.stringify(schema))(args) ?? args;
}

async function ask(
  { db, sessionId }: Pick<ExecutionRun["session"], "db" | "sessionId">,
  {
    world,
    tool,
    call: { callId, name },
    args,
  }: {
    readonly world: StoredWorld;
    readonly tool: WorldTool;
    readonly call: WorldCall;
    readonly args: Record<string, unknown>;
  },
): Promise<Match> {
  const key = sha256(callKey(normaliseCall(tool.normalise, args)));
  return db.transaction(async (transaction) => {
    await transaction.query(LOCK, [sessionId]);
    const [place] = await selectRows(transaction, parsePlace, PLACE, [callId, sessionId, name, key]);
    const nth = place?.nth ?? 1;
    const answers = await selectRows(transaction, parseAnswer, ANSWERS, [world.hash, name, key]);
    const found = matchCall(tool, answers, args, nth);
    await transaction.query(NOTE, [callId, sessionId, name, key, nth, found.kind]);
    return found;
  });
}
