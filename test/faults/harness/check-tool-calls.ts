import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { CheckedSession } from "./checked-session.ts";
import { finding } from "./finding.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { Finding } from "./scenario.ts";
import type { LoggedToolCall } from "./tool-log.ts";

const parseRow = compileParser(
  "tool call row",
  Type.Object({
    call_id: Type.String(),
    session_id: Type.String(),
    name: Type.String(),
    read_only: Type.Boolean(),
    state: Type.String(),
    epoch: Type.Integer(),
    recorded: Type.Boolean(),
  }),
);
const ROWS =
  "SELECT call_id, session_id, name, read_only, state, epoch, state = 'completed' AS recorded FROM tool_calls";
const READ_ONLY = "lab.look";

/** Compares the tools' own log with the tool calls in Postgres. */
export async function checkToolCalls(
  lab: FaultLab,
  { sessions, toolCalls }: { sessions: readonly CheckedSession[]; toolCalls: readonly LoggedToolCall[] },
): Promise<Finding[]> {
  const rows = (await lab.servers.query(ROWS, [])).map((row) => parseRow(row));
  const rowOf = new Map(rows.map((row) => [row.call_id, row]));
  const sessionOf = new Map(sessions.map((session) => [session.session_id, session]));
  const timesById = countBy(toolCalls, ({ call_id }) => call_id);
  const acts = toolCalls.filter(({ name }) => name !== READ_ONLY);
  const timesByArguments = countBy(acts, (call) => call.arguments);
  return [
    finding(
      "no tool call runs twice under its id",
      [...timesById].filter(([, times]) => times > 1).map(([id, times]) => `${id}: ${times} times`),
    ),
    finding(
      "what may change the world is done once for each time the model asked for it",
      [...timesByArguments]
        .filter(([, times]) => times > 1)
        .map(([args, times]) => `${args}: ${times} times`),
    ),
    finding(
      "every recorded result comes from a call that was made",
      rows
        .filter(({ call_id, recorded }) => recorded && !timesById.has(call_id))
        .map(({ call_id }) => call_id),
    ),
    finding(
      "every call that runs was claimed and not abandoned",
      toolCalls
        .filter(({ call_id }) => (rowOf.get(call_id)?.state ?? "abandoned") === "abandoned")
        .map(({ call_id, name }) => `${name} ${call_id} is ${rowOf.get(call_id)?.state ?? "unknown"}`),
    ),
    finding(
      "no tool call starts after its session has ended",
      toolCalls
        .filter(({ call_id, time }) => {
          const session = sessionOf.get(rowOf.get(call_id)?.session_id ?? "");
          return session?.ended_at !== null && session !== undefined && Date.parse(time) > session.ended_at;
        })
        .map(({ call_id, time }) => `${call_id} at ${time}`),
    ),
  ];
}

/** How often each key occurs. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
