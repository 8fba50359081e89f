import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import pLimit from "p-limit";
import { Type } from "typebox";
import { firstDifference } from "#shared/cassette/first-difference.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { enterPast } from "#shared/database/past/enter-past.ts";
import { PAST_TABLES } from "#shared/database/past/past-tables.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { NIGHTLY } from "./nightly.ts";

/** Requests a path of the api; resolves with the decoded body, or throws unless the status is 200. */
type Get = (path: string) => Promise<unknown>;
const OTHERS = ["/timeline", "/trace"];
/** The other views are asked for after the nth commit only, and the calls one by one: they are made of rows, which are compared after each. */
const OTHERS_EVERY = NIGHTLY ? 1 : 4;
const CALLS_EVERY = 12;

type Views = ReadonlyMap<string, unknown>;
const ROWS = "rows";

/** Columns that belong to the present, as arrays of Postgres. */
const OF_NOW: Readonly<Record<string, string>> = {
  alert_sessions: "{deleted_at}",
  session_runtime: `{lease_owner, lease_epoch, last_step, lease_expires_at, attempts, interruptions, not_before, inbox_seq, last_interaction_at,
    cancel_requested_at, cancel_actor, cancelled_follow_ups, events_purged_at, erase_requested_at, place_id, is_out_of_place}`,
};

const parseNumber = compileParser(
  "session",
  Type.Object({ last_seq: Type.Integer() }, { additionalProperties: true }),
);
const parseMembers = compileParser("members", Type.Record(Type.String(), Type.Unknown()));

/** The views of a session by the number of its newest event; of several states with one number the last. */
export class KeptViews {
  readonly #get: Get;
  readonly #id: string;
  readonly #db: Database | undefined;
  readonly #views = new Map<number, Views>();
  readonly #oneAtATime = pLimit(1);

  /** With `db` also the rows of all tables that have a past are kept. */
  constructor(get: Get, id: string, db?: Database) {
    this.#get = get;
    this.#id = id;
    this.#db = db;
  }

  /** The numbers of which views are kept, ascending. */
  get moments(): readonly number[] {
    return [...this.#views.keys()].sort((one, other) => one - other);
  }

  /** Does what writes to the session while nothing else does, and keeps the views that there are afterwards. */
  async after<T>(write: () => Promise<T>): Promise<T> {
    return this.#oneAtATime(async () => {
      const written = await write();
      await this.#keep();
      return written;
    });
  }

  /** Keeps the views as they are. */
  async keep(): Promise<void> {
    await this.#oneAtATime(async () => this.#keep());
  }

  /** Keeps the views of a session that others write to, unless one of them has written meanwhile. */
  async keepIfStill(): Promise<void> {
    const views = await this.#read(undefined, { others: true, calls: false });
    const again = withoutHeartbeat(await this.#get(`/api/v1/sessions/${this.#id}`));
    if (isDeepStrictEqual(views.get(""), again)) this.#views.set(parseNumber(views.get("")).last_seq, views);
  }

  async #keep(): Promise<void> {
    const count = this.#views.size;
    const parts = { others: count % OTHERS_EVERY === 0, calls: count % CALLS_EVERY === 0 };
    const views = await this.#read(undefined, parts);
    this.#views.set(parseNumber(views.get("")).last_seq, views);
  }

  /** Keeps views after each commit of this connection, until the result is disposed of. */
  follow(db: Database): Disposable {
    const [query, transaction] = [db.query.bind(db), db.transaction.bind(db)];
    db.query = async (sql, parameters) => {
      const run = async () => query(sql, parameters);
      return /^\s*SELECT/u.test(sql) ? run() : this.after(run);
    };
    db.transaction = async (work) => this.after(async () => transaction(work));
    return { [Symbol.dispose]: () => Object.assign(db, { query, transaction }) };
  }

  /** Throws unless each kept view is what the api answers for its number now. */
  async check(): Promise<void> {
    for (const [seq, kept] of this.#views) {
      const calls = [...kept.keys()].some((path) => path.includes("/trace/"));
      const past = await this.#read(seq, { others: kept.has("/trace"), calls });
      expect([...past.keys()], `the calls at ${seq}`).to.deep.equal([...kept.keys()]);
      for (const [path, view] of kept) {
        // A view is too long for the difference that is printed.
        const difference = firstDifference(past.get(path), view);
        const text = JSON.stringify(difference);
        expect(text, `view ${path} at ${seq}: left as it is shown now, right as it was`).to.equal("null");
      }
    }
  }

  async #read(
    seq: number | undefined,
    parts: { readonly others: boolean; readonly calls: boolean },
  ): Promise<Views> {
    const views = new Map<string, unknown>();
    const query = seq === undefined ? "" : `?at_seq=${seq}`;
    const read = async (path: string) =>
      views.set(path, withoutHeartbeat(await this.#get(`/api/v1/sessions/${this.#id}${path}${query}`)));
    for (const path of ["", ...(parts.others ? OTHERS : [])]) await read(path);
    const rows = await this.#db?.transaction(async (tx) => this.#rows(tx, seq));
    if (rows !== undefined) views.set(ROWS, rows);
    if (parts.calls) for (const path of callsOf(views.get("/trace"))) await read(path);
    return views;
  }

  async #rows(tx: Queryable, seq: number | undefined): Promise<unknown> {
    if (seq !== undefined) await enterPast(tx, seq);
    const rows: Record<string, unknown> = {};
    for (const table of Object.keys(PAST_TABLES)) {
      const present = `'${OF_NOW[table] ?? "{}"}'::text[]`;
      rows[table] = await tx.query(
        `SELECT to_jsonb(t) - ${present} AS row FROM ${table} t WHERE session_id = $1 ORDER BY (to_jsonb(t) - ${present})::text`,
        [this.#id],
      );
    }
    return rows;
  }
}

/** The addresses of the calls in a part of a trace. */
function callsOf(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(callsOf);
  if (typeof part !== "object" || part === null) return [];
  const members = parseMembers(part);
  const { id, interaction_id, interaction_type } = members;
  const kind = interaction_type === "tool_list" || interaction_type === "tool_call" ? "mcp" : "llm";
  const own = typeof interaction_id === "string" && id === interaction_id ? [`/trace/${kind}/${id}`] : [];
  return [...own, ...Object.values(members).flatMap(callsOf)];
}

/** Renewals of the lease move it. */
function withoutHeartbeat(body: unknown): unknown {
  if (Array.isArray(body)) return body;
  const { last_interaction_at: _heartbeat, ...rest } = parseMembers(body);
  return rest;
}
