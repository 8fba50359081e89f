import type { WriteBack } from "../read-settings.ts";
import type { Note } from "./note.ts";

/** A request of a target's API. */
interface TargetRequest {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
}

/** How a note is written to another system, and found there. */
interface Target {
  readonly headers: (settings: WriteBack) => Readonly<Record<string, string>>;
  /** The newest notes of the place, in which one of ours is looked for after an attempt whose answer was lost. */
  readonly list: (place: Place) => string;
  readonly write: (place: Place, note: Note) => TargetRequest;
}

/** All are parts of paths already. */
interface Place {
  readonly key: string;
  readonly project: string;
  readonly sessionId: string;
  /** When the session ended, or somewhat earlier. */
  readonly since: string;
}

const bearer = ({ token }: WriteBack) => ({ authorization: `Bearer ${token}` });
const basic = ({ user, token }: WriteBack) => ({
  authorization: `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`,
});

/** The systems that get notes (documents of their vendors, 2026). */
export const TARGETS: Readonly<Record<WriteBack["type"], Target>> = {
  pagerduty_note: {
    headers: ({ token, user }) => ({ authorization: `Token token=${token}`, from: user }),
    list: ({ key }) => `/incidents/${key}/notes`,
    write: ({ key }, { text }) => ({
      method: "POST",
      path: `/incidents/${key}/notes`,
      body: { note: { content: text.slice(0, 25_000).toWellFormed() } },
    }),
  },
  github_issue: {
    headers: (settings) => ({ ...bearer(settings), accept: "application/vnd.github+json" }),
    // They are sorted from the oldest on.
    list: ({ project, key, since }) => `/repos/${project}/issues/${key}/comments?per_page=100&since=${since}`,
    write: ({ project, key }, { markdown }) => ({
      method: "POST",
      path: `/repos/${project}/issues/${key}/comments`,
      body: { body: markdown },
    }),
  },
  gitlab_issue: {
    headers: ({ token }) => ({ "private-token": token }),
    list: ({ project, key }) => `/projects/${project}/issues/${key}/notes?per_page=100&sort=desc`,
    write: ({ project, key }, { markdown }) => ({
      method: "POST",
      path: `/projects/${project}/issues/${key}/notes`,
      body: { body: markdown },
    }),
  },
  jira: {
    headers: basic,
    list: ({ key }) => `/rest/api/3/issue/${key}/comment?orderBy=-created&maxResults=100`,
    write: ({ key }, { text }) => ({
      method: "POST",
      path: `/rest/api/3/issue/${key}/comment`,
      body: { body: { type: "doc", version: 1, content: text.split("\n").map(paragraph) } },
    }),
  },
  servicenow: {
    headers: basic,
    list: ({ key }) =>
      `/api/now/table/sys_journal_field?sysparm_query=element_id%3D${key}%5Eelement%3Dwork_notes%5EORDERBYDESCsys_created_on&sysparm_limit=100`,
    // Its journal shows what stands in these brackets as HTML.
    write: ({ key }, { text }) => ({
      method: "PATCH",
      path: `/api/now/table/incident/${key}`,
      body: { work_notes: text.replaceAll(/\[(\/?code)\]/giu, "( $1 )") },
    }),
  },
  opsgenie_note: {
    headers: ({ token }) => ({ authorization: `GenieKey ${token}` }),
    list: ({ key }) => `/v2/alerts/${key}/notes?limit=100`,
    write: ({ key }, { text }) => ({
      method: "POST",
      path: `/v2/alerts/${key}/notes`,
      body: { note: text.slice(0, 25_000).toWellFormed(), source: "tarsy" },
    }),
  },
  grafana_annotation: {
    headers: bearer,
    list: ({ sessionId }) => `/api/annotations?tags=${sessionId}`,
    write: ({ sessionId }, { text, fromMs, toMs }) => ({
      method: "POST",
      path: "/api/annotations",
      // It shows HTML.
      body: {
        time: fromMs,
        timeEnd: toMs,
        tags: ["tarsy", sessionId],
        text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
      },
    }),
  },
};

function paragraph(text: string): object {
  return { type: "paragraph", content: text === "" ? [] : [{ type: "text", text }] };
}
