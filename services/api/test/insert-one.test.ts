import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepTexts } from "#shared/database/keep-texts.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { keepConfig } from "#shared/database/resolved-configs.ts";
import { insertOne } from "../alerts/insert-one.ts";
import type { NewSession } from "../alerts/new-session.ts";
import { SessionInserts } from "../alerts/session-inserts.ts";
import type { SubmissionKey } from "../alerts/submission-key.ts";
import { ApiFixture } from "./api-fixture.ts";
import { newSessionRow } from "./new-session-row.ts";

const TEXT = { hash: "a".repeat(64), body: "the body of a skill" };
const VALUE = { digest: "d1", digits: "1234", length: 20, kind: "TOKEN" };
const COUNTS = `
SELECT (SELECT count(*)::int FROM alert_sessions WHERE session_id = $1) AS sessions,
       (SELECT count(*)::int FROM session_runtime WHERE session_id = $1) AS runtimes,
       (SELECT count(*)::int FROM audit_log WHERE session_id = $1) AS audited,
       (SELECT count(*)::int FROM masked_values WHERE session_id = $1 AND digest = '${VALUE.digest}' AND kind = '${VALUE.kind}') AS masked,
       (SELECT count(*)::int FROM needed_texts WHERE session_id = $1) AS needed,
       (SELECT count(*)::int FROM idempotency_keys WHERE session_id = $1) AS keys`;

/** Without what each row has of its own. */
const ROWS = `
SELECT to_jsonb(s) - '{session_id,created_at,prompt_nonce}'::text[] AS session, to_jsonb(r) - 'session_id' AS runtime,
       to_jsonb(a) - '{id,at,session_id}'::text[] AS audited, to_jsonb(m) - 'session_id' AS masked, to_jsonb(n) - 'session_id' AS needed
FROM alert_sessions s JOIN session_runtime r USING (session_id) JOIN audit_log a USING (session_id)
  JOIN masked_values m USING (session_id) JOIN needed_texts n USING (session_id)
WHERE s.session_id = $1`;

describe("the statement that inserts one session", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
    await keepTexts(api.deps.db, [TEXT]);
  });
  after(() => resources.disposeAsync());

  const keyOf = (key: string): SubmissionKey => ({ key, requestHash: "r", conflict: undefined });
  const stored = async (sessionId: string) => (await api.servers.query(COUNTS, [sessionId]))[0];

  for (const [hasKey, hasValues, hasTexts] of [
    [false, false, false],
    [true, false, false],
    [false, true, true],
    [true, true, false],
    [true, false, true],
    [true, true, true],
  ] as const) {
    const name = [hasKey && "a key", hasValues && "masked values", hasTexts && "texts"].filter(Boolean);
    it(`stores it with ${name.length === 0 ? "nothing else" : name.join(", ")}`, async () => {
      const session = newSessionRow({
        maskedValues: hasValues ? [VALUE] : [],
        textHashes: hasTexts ? [TEXT.hash] : [],
      });
      const key = hasKey ? { key: keyOf(randomUUID()) } : {};
      expect(await insertOne(api.deps.db, session, key)).to.equal(true);
      expect(await stored(session.sessionId)).to.deep.equal({
        sessions: 1,
        runtimes: 1,
        audited: 1,
        masked: Number(hasValues),
        needed: Number(hasTexts),
        keys: Number(hasKey),
      });
    });
  }

  it("stores the columns that the statement for several stores", async () => {
    const rich = {
      lane: "low",
      owner: "o",
      teams: ['a"b', "c,d", "NULL", ""],
      submitter: { subject: "s", via: "mcp", peer: "10.0.0.1" },
      runbook: "r",
      slackFingerprint: "f",
      notify: '{"slack": ["session.ended"]}',
      mcpSelection: '{"servers": []}',
      metadata: '{"notice": "n"}',
      maskedValues: [VALUE],
      textHashes: [TEXT.hash],
      traceContext: { traceparent: "00-1-2-01" },
    } as const;
    const [alone, ...together] = Array.from({ length: 3 }, () => newSessionRow(rich));
    if (alone === undefined) throw new Error("no session");
    await insertOne(api.deps.db, alone);
    const inserts = new SessionInserts(api.deps.db);
    await Promise.all(together.map(async (one) => inserts.insert(one)));
    const [first, ...others] = await Promise.all(
      [alone, ...together].map(async ({ sessionId }) => api.servers.query(ROWS, [sessionId])),
    );
    expect(others).to.deep.equal([first, first]);
  });

  for (const [what, sql] of [
    ["has lost", "DELETE FROM resolved_configs"],
    ["may remove", "UPDATE resolved_configs SET used_at = now() - interval '13 hours'"],
  ] as const) {
    it(`stores the configuration again that the database ${what}`, async () => {
      const lose = async () => api.servers.query(sql, []);
      const key = keyOf(randomUUID());
      const [alone, keyed, repeated, ...together] = Array.from({ length: 6 }, () => newSessionRow());
      if (alone === undefined || keyed === undefined || repeated === undefined) {
        throw new Error("no sessions");
      }
      const db = api.deps.db;
      await lose();
      await insertOne(db, alone);
      await lose();
      expect(await insertOne(db, keyed, { key })).to.equal(true);
      await lose();
      expect(await insertOne(db, repeated, { key })).to.equal(false);
      await lose();
      const inserts = new SessionInserts(db);
      await Promise.all(together.map(async (one) => inserts.insert(one)));
      const once = { sessions: 1, runtimes: 1, audited: 1, masked: 0, needed: 0 };
      for (const { sessionId } of [alone, ...together]) {
        expect(await stored(sessionId)).to.deep.equal({ ...once, keys: 0 });
      }
      expect(await stored(keyed.sessionId)).to.deep.equal({ ...once, keys: 1 });
      const kept = await api.servers.query(
        "SELECT config_hash, config, used_at > now() - interval '1 minute' AS used FROM resolved_configs",
        [],
      );
      expect(kept).to.deep.equal([{ config_hash: "h", config: { a: 1 }, used: true }]);
    });
  }

  it("stores the session if another process stores the configuration meanwhile", async () => {
    await api.servers.query("DELETE FROM resolved_configs", []);
    const [alone, long] = [newSessionRow(), newSessionRow({ data: "x".repeat(40_000) })];
    const { db } = api.deps;
    const meanwhile = (session: NewSession): Queryable => ({
      query: async (sql, parameters) => {
        const rows = await db.query(sql, parameters);
        await keepConfig(db, session.config);
        return rows;
      },
    });
    for (const session of [alone, long]) {
      await api.servers.query("DELETE FROM resolved_configs", []);
      expect(await insertOne(meanwhile(session), session)).to.equal(true);
      expect(await stored(session.sessionId)).to.include({ sessions: 1, runtimes: 1 });
    }
  });

  it("stores nothing if its key is another session's, until that has expired", async () => {
    const key = keyOf(randomUUID());
    const rich = { maskedValues: [VALUE], textHashes: [TEXT.hash] };
    const [first, second] = [newSessionRow(), newSessionRow(rich)];
    await insertOne(api.deps.db, first, { key });
    expect(await insertOne(api.deps.db, second, { key })).to.equal(false);
    const nothing = { sessions: 0, runtimes: 0, audited: 0, masked: 0, needed: 0, keys: 0 };
    expect(await stored(second.sessionId)).to.deep.equal(nothing);
    await api.servers.query("UPDATE idempotency_keys SET expires_at = now() WHERE key = $1", [key.key]);
    expect(await insertOne(api.deps.db, second, { key })).to.equal(true);
    const all = { sessions: 1, runtimes: 1, audited: 1, masked: 1, needed: 1, keys: 1 };
    expect(await stored(second.sessionId)).to.deep.equal(all);
    expect(await stored(first.sessionId)).to.deep.include({ sessions: 1, keys: 0 });
  });
});
