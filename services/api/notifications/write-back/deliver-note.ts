import type { Queryable } from "#shared/database/queryable.ts";
import type { Delivery, Destination } from "../destination.ts";
import { parseRetryAfter, type Outbound, type OutboundResponse } from "../http/outbound.ts";
import { noAnswer, outcomeOf } from "../http/outcome-of.ts";
import type { WriteBack } from "../read-settings.ts";
import { markOf, noteOf, readForNote } from "./note.ts";
import { TARGETS } from "./targets.ts";

const TIMEOUT_MS = 15_000;
/** Of the notes that are there. */
const MAX_LIST_BYTES = 4 * 1_024 * 1_024;
const MAX_BYTES = 1_024;
const CLOCKS_DIFFER_MS = 5 * 60_000;
/** It becomes a part of a path. */
const KEY = /^[\w.:-]{1,200}$/u;

/** A system to which a note about each session goes, once: after an attempt whose answer was lost the note is looked for. */
export function noteWriter(
  settings: WriteBack,
  { db, outbound }: { readonly db: Queryable; readonly outbound: Outbound },
): Destination {
  const { name, type, url, address, key: pointer, project = "" } = settings;
  const target = TARGETS[type];
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": "tarsy",
    ...target.headers(settings),
  };
  const request = async (
    path: string,
    more: { method: "GET" | "POST" | "PATCH"; body?: string; maxBytes: number },
    signal: AbortSignal,
  ) =>
    outbound.send(
      new URL(`${url.href.replace(/\/+$/u, "")}${path}`),
      { headers, timeoutMs: TIMEOUT_MS, ...more },
      signal,
    );
  return {
    name,
    address,
    parallel: 1,
    deliver: async (notification, { isUnsure }, signal) => {
      const { session_id: sessionId } = notification.session;
      const { key, claims } = await readForNote(db, sessionId, pointer);
      if (pointer !== undefined && (key === undefined || !KEY.test(key) || /^\.+$/u.test(key))) {
        return { outcome: "dropped", error: "the alert names no place for the note" };
      }
      const sinceMs = Date.parse(notification.at) - CLOCKS_DIFFER_MS;
      const since = encodeURIComponent(new Date(sinceMs).toISOString());
      const place = { key: key ?? "", project: encodeProject(project, type), sessionId, since };
      try {
        if (isUnsure) {
          const found = await request(
            target.list(place),
            { method: "GET", maxBytes: MAX_LIST_BYTES },
            signal,
          );
          if (found.status !== 200) return noteOutcome(found);
          // The annotations that are listed are those with the session's tag.
          const mark = type === "grafana_annotation" ? sessionId : markOf(sessionId);
          if (found.text.includes(mark)) return { outcome: "sent", receipt: { status: found.status } };
        }
        const { method, path, body } = target.write(place, noteOf(notification, claims));
        return noteOutcome(
          await request(path, { method, body: JSON.stringify(body), maxBytes: MAX_BYTES }, signal),
        );
      } catch (error) {
        return noAnswer(error);
      }
    },
  };
}

/** GitLab names a project by one part of the path, GitHub by two. */
function encodeProject(project: string, type: WriteBack["type"]): string {
  return type === "github_issue"
    ? project.split("/").map(encodeURIComponent).join("/")
    : encodeURIComponent(project);
}

/** The token can be repaired, and some say that there are too many requests in these words. */
function noteOutcome(response: OutboundResponse): Delivery {
  const outcome = outcomeOf(response);
  if (outcome.outcome !== "refused" || ![401, 403].includes(response.status)) return outcome;
  const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"));
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { outcome: "failed", error: outcome.error, isUnsure: false, ...asked };
}
