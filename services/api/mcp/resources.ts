import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { isUuid } from "#shared/contracts/uuid.ts";
import { timelineEntries } from "#shared/contract-view/timeline-entry.ts";
import type { ApiDeps } from "../api-deps.ts";
import { notFound } from "../http/request-error.ts";
import { sessionFor } from "../http/visible-session.ts";
import { readTimeline } from "../sessions/read-session.ts";
import { readStagesOf } from "../views/read-stages.ts";
import { beginningOf, frameText } from "./frame-text.ts";
import { readInvestigation, readState } from "./read-investigation.ts";
import { performIn, type McpCall } from "./tool.ts";

const URI = /^tarsy:\/\/sessions\/(?<id>[^/]+)(?<timeline>\/timeline)?$/u;
const MAX_ENTRY = 4_000;
const MAX_TIMELINE = 200_000;
const MIME_TYPE = "text/markdown";

export const RESOURCE_TEMPLATES = [
  {
    name: "session",
    uriTemplate: "tarsy://sessions/{id}",
    description: "where an investigation stands and what it concluded",
    mimeType: MIME_TYPE,
  },
  {
    name: "timeline",
    uriTemplate: "tarsy://sessions/{id}/timeline",
    description: "what the agents of an investigation thought, asked and found, in order",
    mimeType: MIME_TYPE,
  },
];

/** The session of a resource, in small letters; undefined for the address of none. */
export function sessionOfUri(uri: string): { readonly id: string; readonly isTimeline: boolean } | undefined {
  const { id, timeline } = URI.exec(uri)?.groups ?? {};
  return id === undefined || !isUuid(id)
    ? undefined
    : { id: id.toLowerCase(), isTimeline: timeline !== undefined };
}

/** Reads a resource for a caller. Rejects with RequestError 404 for one that does not exist, or not for the caller. */
export async function readResource(deps: ApiDeps, uri: string, call: McpCall): Promise<ReadResourceResult> {
  return performIn(deps, { action: "session.read", scope: "read" }, call, async () => {
    const found = sessionOfUri(uri);
    if (found === undefined) throw notFound();
    const { session_id: id } = await sessionFor(deps.db, call.caller, found.id);
    const text = found.isTimeline ? await timelineText(deps, id) : await sessionText(deps, id);
    return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
  });
}

/** An investigation as text: facts, and a frame with the texts of others. */
export async function sessionText({ config, db }: ApiDeps, id: string): Promise<string> {
  const { pageUrl } = config.notifications;
  const { facts, texts } = await readInvestigation(db, id, { state: await readState(db, id), pageUrl });
  return `${JSON.stringify(facts, undefined, 1)}\n\n${frameText(texts)}`;
}

async function timelineText({ orm }: ApiDeps, id: string): Promise<string> {
  const entries = await orm.snapshot(async (manager) => {
    const { shown } = await readStagesOf(manager, id);
    return timelineEntries(await readTimeline(manager, id), shown);
  });
  let text = "";
  for (const [index, { event_type, created_at, content = "" }] of entries.entries()) {
    const at = created_at instanceof Date ? created_at.toISOString() : String(created_at);
    text += `### ${at} ${event_type}\n${beginningOf(content, MAX_ENTRY)}\n\n`;
    if (text.length < MAX_TIMELINE) continue;
    text += `[cut: ${entries.length - index - 1} more entries]`;
    break;
  }
  return frameText({ timeline: text });
}
