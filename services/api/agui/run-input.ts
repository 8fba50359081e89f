import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { parseAlertRequest } from "../alerts/alert-request.ts";
import type { AlertRequest } from "../alerts/contract.ts";
import { bodyReader } from "../http/body-reader.ts";
import { validationError } from "../http/request-error.ts";
import { RunInput } from "./contract.ts";

const readInput = bodyReader(RunInput);
/** The members of an alert that the application of a client may add. */
const FORWARDED: ReadonlySet<string> = new Set(["alert_type", "runbook", "mcp", "priority"]);

/** What a person last said. */
export interface Said {
  readonly id: string;
  readonly text: string;
}

/** A run as a client asks for it. */
export interface AskedRun extends Pick<Static<typeof RunInput>, "threadId" | "runId"> {
  /** Undefined for a client that only follows. */
  readonly said: Said | undefined;
  readonly decisions: readonly {
    readonly approvalId: string;
    readonly decision: "approve" | "deny";
    readonly reason: string | null;
  }[];
  /** The conversation as it was before the run; undefined unless the client has messages of the run already. */
  readonly history: readonly object[] | undefined;
  readonly forwarded: object;
}

/** Reads the body of a run. Throws RequestError 400. */
export function readRun(body: unknown): AskedRun {
  const { threadId, runId, messages, resume = [], forwardedProps } = readInput(body);
  const all = messages.map((message, at): Message => {
    if (typeof message !== "object" || message === null) throw invalid(at, "must be an object");
    return { ...message };
  });
  const last = all.findLastIndex(({ role }) => role === "user");
  const said = all[last];
  return {
    threadId,
    runId,
    said: said === undefined ? undefined : { text: textOf(said.content, last), id: idOf(said.id, last) },
    decisions: resume.flatMap(({ interruptId, status, payload }, at) =>
      // A question that the client only put away stays open.
      status === "cancelled" ? [] : [{ approvalId: interruptId, ...decisionOf(payload, at) }],
    ),
    history: all.length === last + 1 ? undefined : beforeRun(all, last),
    forwarded: Object.fromEntries(
      Object.entries(forwardedProps ?? {}).filter(([name]) => FORWARDED.has(name)),
    ),
  };
}

/** The alert that begins a session. Throws RequestError 400. */
export function alertOf({ text }: Said, forwarded: object): AlertRequest {
  return parseAlertRequest({ ...forwarded, data: text });
}

/** By which a text is recognised. */
export function hashOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

interface Message {
  readonly id?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
}

/**
 * The messages up to the last one of the user. What follows is of the run, which begins anew; a client keeps thoughts that no message
 * replaces, so that an empty one of the run stands for them.
 */
function beforeRun(messages: readonly Message[], last: number): readonly object[] {
  const before = messages.slice(0, last + 1);
  if (before.some(({ role }) => role === "reasoning")) return before;
  const thought = messages.find(({ role }) => role === "reasoning");
  return thought === undefined ? before : [...before, { ...thought, content: "" }];
}

/** By it a question that is sent again is known. */
function idOf(id: unknown, at: number): string {
  if (typeof id !== "string" || id === "") throw invalid(at, "must have an id");
  return id;
}

function textOf(content: unknown, at: number): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const texts = parts.map((part) => {
    const { type, text }: { type?: unknown; text?: unknown } = { ...(typeof part === "object" ? part : {}) };
    if (type !== "text" || typeof text !== "string") throw invalid(at, "must have text only");
    return text;
  });
  const text = texts.join("\n");
  if (text.trim() === "") throw invalid(at, "has no text");
  return text;
}

function decisionOf(payload: unknown, at: number): { decision: "approve" | "deny"; reason: string | null } {
  const { approved, reason = null }: { approved?: unknown; reason?: unknown } = {
    ...(typeof payload === "object" ? payload : {}),
  };
  if (typeof approved !== "boolean") {
    throw validationError(`resume[${at}].payload.approved`, "must be true or false");
  }
  if (reason !== null && (typeof reason !== "string" || reason.length > 2_000)) {
    throw validationError(`resume[${at}].payload.reason`, "must be a text of at most 2,000 characters");
  }
  return { decision: approved ? "approve" : "deny", reason };
}

function invalid(at: number, why: string): Error {
  return validationError(`messages[${at}]`, why);
}
