import { expect } from "chai";
import { Type } from "typebox";
import { DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseMessage = compileParser("message of the dialect", Type.Union(Object.values(DIALECT_MESSAGES)));

/** The members of the metadata of each type of entry, as clients read them without asking. */
export const METADATA: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  llm_thinking: { source: "string" },
  llm_tool_call: { server_name: "string", tool_name: "string", tool_type: "string", arguments: "string" },
  mcp_tool_summary: { server_name: "string", tool_name: "string", original_tokens: "number" },
  user_question: { author: "string" },
  skill_loaded: { skill_name: "string" },
  provider_fallback: {
    original_provider: "string",
    original_backend: "string",
    original_model: "string",
    fallback_provider: "string",
    fallback_backend: "string",
    fallback_model: "string",
    reason: "string",
    attempt: "number",
  },
};

/** Fails unless the metadata of an entry has what its type needs. */
export function hasMetadata(type: string, metadata: object): void {
  for (const [name, kind] of Object.entries(METADATA[type] ?? {})) {
    expect(metadata, type).to.have.property(name).that.is.a(kind);
  }
}

/** Holds the messages about a session against their schemas, and against the order on which clients rely. */
export function hasOrder(id: string, messages: readonly Readonly<Record<string, unknown>>[]): void {
  const about = messages.filter((message) => message["session_id"] !== undefined);
  for (const message of messages) parseMessage(message);
  expect(new Set(about.map((message) => message["session_id"]))).to.deep.equal(new Set([id]));
  const cursors = about.flatMap((message) =>
    typeof message["db_event_id"] === "number" ? message["db_event_id"] : [],
  );
  expect(cursors).to.deep.equal(cursors.toSorted((a, b) => a - b));
  const running = new Set<unknown>();
  for (const message of about) {
    const { type, status, stage_id } = message;
    if (type === "stage.status") status === "started" ? running.add(stage_id) : running.delete(stage_id);
    if (type !== "timeline_event.created") continue;
    // A question precedes the stage that answers it.
    if (message["event_type"] !== "user_question") {
      expect(running.has(stage_id), `${String(message["event_type"])} while its stage runs`).to.equal(true);
    }
    const { metadata } = message;
    hasMetadata(
      String(message["event_type"]),
      typeof metadata === "object" && metadata !== null ? metadata : {},
    );
  }
}
