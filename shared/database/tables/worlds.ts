import { table, ADD, OF_SESSION, READ } from "#shared/database/tables/table.ts";

/** An incident as data (`shared/worlds/`), of which any number of sessions have their tools answered. Its answers are in `world_answers`. */
export const WORLDS = table({
  name: "worlds",
  columns: {
    hash: { type: "text", primary: true, from: "digest" },
    /** Its servers with their tools, and the rules by which calls are compared. */
    servers: { type: "jsonb", from: "world" },
    /** The error that a call without an answer gets. */
    miss: { type: "text", from: "world" },
  },
  grants: { executor: READ },
  purge: { kind: "own", by: "the evaluation, whose database is gone once it has ended" },
});

/** What a call of a world's tool answers (`WorldAnswer`). */
export const WORLD_ANSWERS = table({
  name: "world_answers",
  columns: {
    hash: { type: "text", primary: true, from: "digest", ddl: "REFERENCES worlds ON DELETE CASCADE" },
    /** Its place in the world, from 0. */
    ordinal: { type: "integer", primary: true },
    /** `server.name` */
    tool: { type: "text", from: "world" },
    args: { type: "jsonb", from: "world" },
    /** SHA-256 of its `callKey`. */
    key_hash: { type: "text", from: "digest" },
    match: { type: "text", enum: ["equal", "subset", "any"], checked: true, from: "ours" },
    nth: { type: "integer" },
    text: { type: "text", from: "world" },
    is_error: { type: "boolean" },
  },
  indexes: ["world_answers_key (hash, tool, key_hash)"],
  grants: { executor: READ },
  purge: { kind: "own", by: "foreign keys, with its world" },
});

/** A call that a session has asked its world: the same call gets the same answer again. */
export const WORLD_CALLS = table({
  name: "world_calls",
  columns: {
    call_id: { type: "text", primary: true, from: "ours" },
    session_id: OF_SESSION,
    /** `server.name` */
    tool: { type: "text", from: "checked" },
    /** SHA-256 of its `callKey`. */
    key_hash: { type: "text", from: "digest" },
    /** Its place among the calls of the session with this key, from 1. */
    nth: { type: "integer" },
    /** How the world knew: by an answer, as a tool that knows everything, or not at all. */
    match: { type: "text", enum: ["answer", "absent", "miss"], checked: true, from: "ours" },
  },
  indexes: ["world_calls_key (session_id, tool, key_hash)"],
  grants: { executor: ADD },
  purge: { kind: "session" },
});
