import type { ApiRequest, ApiResponse } from "#shared/client/api-types.ts";

type SubmittedSession = ApiResponse<"GET /api/v1/sessions/:id/overview">;
type AlertBody = NonNullable<ApiRequest<"POST /api/v1/alerts">["body"]>;

/** An alert as the form has it. */
export interface AlertDraft {
  readonly text: string;
  /** Empty for the default one. */
  readonly type: string;
  readonly runbook: string;
  /** The selected servers with their selected tools, undefined for all of a server; undefined for those of the chain. */
  readonly servers: ReadonlyMap<string, ReadonlySet<string> | undefined> | undefined;
}

export const EMPTY_DRAFT: AlertDraft = { text: "", type: "", runbook: "", servers: undefined };
/** What the API takes of an alert, in bytes of UTF-8. */
export const MAX_ALERT_BYTES = 1_048_576;

/** The body of the request. */
export function bodyOf({ text, type, runbook, servers }: AlertDraft): AlertBody {
  return {
    data: text,
    ...(type === "" ? {} : { alert_type: type }),
    ...(runbook.trim() === "" ? {} : { runbook: runbook.trim() }),
    ...(servers === undefined
      ? {}
      : { mcp: { servers: [...servers].map(([name, tools]) => serverOf(name, tools)) } }),
  };
}

function serverOf(name: string, tools: ReadonlySet<string> | undefined) {
  return tools === undefined ? { name } : { name, tools: [...tools] };
}

/** A draft of the alert that started a session, to send it again. */
export function draftOf({
  alert_data: text,
  alert_type: type,
  runbook_url: runbook,
  mcp_selection: selection,
}: Pick<SubmittedSession, "alert_data" | "alert_type" | "runbook_url" | "mcp_selection">): AlertDraft {
  return { text, type: type ?? "", runbook: runbook ?? "", servers: serversOf(selection) };
}

function serversOf(selection: object | undefined): AlertDraft["servers"] {
  const selected: unknown = selection !== undefined && "servers" in selection ? selection.servers : undefined;
  if (!Array.isArray(selected)) return undefined;
  const servers = selected.flatMap((server: unknown) => {
    if (typeof server !== "object" || server === null || !("name" in server)) return [];
    const tools: unknown = "tools" in server ? server.tools : undefined;
    return [[String(server.name), Array.isArray(tools) ? new Set(tools.map(String)) : undefined] as const];
  });
  return new Map(servers);
}

/** The draft with a server selected, with all its tools, or not. */
export function withServer(draft: AlertDraft, name: string, isSelected: boolean): AlertDraft {
  const servers = new Map(draft.servers);
  if (isSelected) servers.set(name, undefined);
  else servers.delete(name);
  return { ...draft, servers };
}

/** The draft with one of a selected server's tools selected or not; a server with all its tools names none of them. */
export function withTool(
  draft: AlertDraft,
  { server, tool, all }: { readonly server: string; readonly tool: string; readonly all: readonly string[] },
  isSelected: boolean,
): AlertDraft {
  const tools = new Set(draft.servers?.get(server) ?? all);
  if (isSelected) tools.add(tool);
  else tools.delete(tool);
  const servers = new Map(draft.servers);
  servers.set(server, all.every((known) => tools.has(known)) ? undefined : tools);
  return { ...draft, servers };
}

export type AlertField = "text" | "type" | "runbook" | "servers";

/** By the first part of the name that the API gives a field. */
const FIELDS: Readonly<Record<string, AlertField>> = {
  data: "text",
  alert_type: "type",
  runbook: "runbook",
  mcp: "servers",
};

/** The field that an error of the API is about; undefined if it is about none. */
export function fieldOf(message: string): AlertField | undefined {
  const name = /field '(?<name>\w+)/u.exec(message)?.groups?.["name"] ?? "";
  return Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
}

/** Names a request, so that repeating it starts no second investigation. Also works where the page came over plain HTTP. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
