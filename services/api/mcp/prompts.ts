import type { GetPromptResult } from "@modelcontextprotocol/server";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { ApiDeps } from "../api-deps.ts";
import { bodyReader } from "../http/body-reader.ts";
import { RequestError } from "../http/request-error.ts";
import { sessionFor } from "../http/visible-session.ts";
import { listPage } from "../sessions/list-page.ts";
import { parseListQuery } from "../sessions/list-query.ts";
import { ListMemory } from "../sessions/list-memory.ts";
import { frameText } from "./frame-text.ts";
import { sessionText } from "./resources.ts";
import { sessionLines } from "./session-lines.ts";
import { performIn, type McpCall } from "./tool.ts";

const READING = { action: "session.read", scope: "read" } as const;
const STANDARD_HOURS = 12;
const HOUR_MS = 3_600_000;
const MAX_SESSIONS = "50";

export const PROMPTS = [
  {
    name: "oncall-handover",
    description: "Hand the investigations of the last hours over to the next person on call",
    arguments: [
      { name: "hours", description: `the last hours, 1 to 168 (${STANDARD_HOURS})`, required: false },
    ],
  },
  {
    name: "postmortem",
    description: "Write a blameless postmortem from an investigation",
    arguments: [{ name: "session", description: "the session's id", required: true }],
  },
];

// The arguments of prompts are texts.
const readHandover = bodyReader(
  Type.Object({ hours: Type.Optional(Type.String({ pattern: "^(?:[1-9]|[1-9]\\d|1[0-5]\\d|16[0-8])$" })) }),
);
const readPostmortem = bodyReader(Type.Object({ session: Uuid }));

/** Returns what answers a request for a prompt. It rejects with RequestError 400 and 404, and AccessRefused. */
export function openPrompts(deps: ApiDeps) {
  const memory = new ListMemory();
  const prompts = new Map<string, (args: object, call: McpCall) => Promise<string>>([
    [
      "oncall-handover",
      async (args, { caller }) => {
        const hours = Number(readHandover(args).hours ?? STANDARD_HOURS);
        const start_date = new Date(Date.now() - hours * HOUR_MS).toISOString();
        const { sessions, pagination } = await listPage(
          deps,
          caller,
          parseListQuery({ start_date, page_size: MAX_SESSIONS }),
          memory,
        );
        const { facts, texts } = sessionLines(sessions, deps.config.notifications.pageUrl);
        return [
          `Write a handover for the next person on call: what happened in the last ${hours} hours, what is still open or waits for an approval, what is proven (verified claims) and what is only likely. Begin with what needs attention now, and link each session.`,
          `There are ${pagination.total_items} sessions; these are the newest ${sessions.length}:`,
          JSON.stringify(facts, undefined, 1),
          frameText(texts),
        ].join("\n\n");
      },
    ],
    [
      "postmortem",
      async (args, { caller }) => {
        const { session_id } = await sessionFor(deps.db, caller, readPostmortem(args).session);
        return [
          "Write a blameless postmortem of this investigation: impact, timeline, root cause, what went well and badly, actions. State as a fact only what a verified claim shows; mark everything else as an assumption.",
          await sessionText(deps, session_id),
        ].join("\n\n");
      },
    ],
  ]);
  return async (name: string, args: object, call: McpCall): Promise<GetPromptResult> => {
    const prompt = prompts.get(name);
    if (prompt === undefined) throw new RequestError(404, "there is no such prompt");
    const text = await performIn(deps, READING, call, async () => prompt(args, call));
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  };
}
