import type { OwnedFunction } from "#shared/database/owned-functions.ts";

/**
 * Moves what calls have used from the ledger into the accounts, which the caller has locked. The deletion decides which of two
 * callers counts a row.
 */
const FOLD = (schema: string, ids: string) => `
  WITH taken AS (
    DELETE FROM ${schema}.budget_ledger l WHERE l.reservation_id = ANY (${ids}) RETURNING l.*
  ), freed AS (
    DELETE FROM ${schema}.budget_reservations r USING taken t WHERE r.reservation_id = t.reservation_id
    RETURNING r.accounts, r.usd AS held_usd, r.tokens AS held_tokens, r.calls AS held_calls, t.usd, t.tokens, t.calls
  ), sums AS (
    SELECT charged.account, sum(f.held_usd) AS held_usd, sum(f.held_tokens) AS held_tokens, sum(f.held_calls) AS held_calls,
           sum(f.usd) AS usd, sum(f.tokens) AS tokens, sum(f.calls) AS calls
    FROM freed f, unnest(f.accounts) AS charged(account) GROUP BY charged.account
  )
  UPDATE ${schema}.budget_accounts a SET
    reserved_usd = a.reserved_usd - s.held_usd, reserved_tokens = a.reserved_tokens - s.held_tokens,
    reserved_calls = a.reserved_calls - s.held_calls,
    used_usd = a.used_usd + s.usd, used_tokens = a.used_tokens + s.tokens, used_calls = a.used_calls + s.calls
  FROM sums s WHERE a.account = s.account`;

/** What the calls before have used, by the steps of the same statement, of which other parts may not be visible yet. */
const SETTLE = (schema: string) => `
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT s.reservation_id, owner_session, s.usd, s.tokens, s.calls
  FROM json_to_recordset(request -> 'settled') AS s(reservation_id uuid, usd numeric, tokens bigint, calls bigint)
  ON CONFLICT DO NOTHING`;

/** Every statement that locks several accounts does so in the order of their keys. */
const LOCK = (schema: string, accounts: string) => `
  PERFORM 1 FROM ${schema}.budget_accounts a WHERE a.account = ANY (${accounts}) ORDER BY a.account FOR UPDATE`;

/**
 * What an account is named: the scope, the period by the database's clock in UTC (of a session its id, the SQL of which is given),
 * and the key. With `s` as the scope's row.
 */
export const accountName = (sessionId: string) => `(s.scope || ':' || CASE s.period
    WHEN 'session' THEN ${sessionId}
    WHEN 'month' THEN to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')
    ELSE to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') END || ':' || s.key) COLLATE "C"`;

const ACCOUNT = accountName("owner_session::text");

/**
 * The functions that change accounts. One of the executor, whose caller must hold the lock of the session's runtime row and have
 * checked its fence: accounts are locked after it, never before. Two of the api's sweeper, which holds no other lock.
 */
export const BUDGET_FUNCTIONS: readonly OwnedFunction[] = [
  {
    // `request`: `scopes` (scope, key, period; `stored`: the limits are those in the table, else those given), `reservation`
    // with the most that a call can use, `conclusion` with what is kept for the agent's conclusion from now on (absent: what is
    // kept stays), `is_last`: the call is the conclusion itself, `settled`: what calls before have used. Either everything is reserved in every account, or nothing.
    name: "tarsy_reserve_budget",
    parameters: "owner_session uuid, owner_epoch integer, request json",
    returns: "json",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  accounts text[];
  locked text[];
  settled uuid[];
  asked record;
  kept record;
  wanted record;
  old_accounts text[];
  old_usd numeric := 0;
  old_tokens bigint := 0;
  old_calls bigint := 0;
  asked_usd numeric;
  new_usd numeric;
  new_tokens bigint;
  new_calls bigint;
  line record;
  refused json;
  softened json;
  is_blocked boolean := false;
  is_refused boolean := false;
  is_larger boolean;
BEGIN
  SELECT * INTO asked FROM json_to_record(request -> 'reservation')
    AS r(id uuid, execution_id uuid, usd numeric, tokens bigint, calls bigint);
  SELECT * INTO wanted FROM json_to_record(coalesce(request -> 'conclusion', '{}'))
    AS r(id uuid, usd numeric, tokens bigint, calls bigint);
  SELECT array_agg(DISTINCT x.account) INTO accounts FROM (
    SELECT ${ACCOUNT} AS account FROM json_to_recordset(request -> 'scopes') AS s(scope text, key text, period text, stored boolean)
    WHERE NOT s.stored OR EXISTS (SELECT FROM ${schema}.budgets b
      WHERE b.scope = s.scope AND b.key = s.key AND b.period = s.period)) x;
  IF accounts IS NULL THEN
${SETTLE(schema)};
    RETURN json_build_object('verdict', 'unlimited');
  END IF;
  SELECT r.accounts INTO old_accounts FROM ${schema}.budget_reservations r WHERE r.reservation_id = wanted.id;
  locked := accounts || coalesce(old_accounts, '{}');
  IF (SELECT count(*) FROM ${schema}.budget_accounts a WHERE a.account = ANY (accounts)) < array_length(accounts, 1) THEN
    INSERT INTO ${schema}.budget_accounts (account, scope, key, period, session_id)
    SELECT DISTINCT ON (x.account) x.account, x.scope, x.key, x.period, CASE WHEN x.scope = 'session' THEN owner_session END
    FROM (SELECT s.*, ${ACCOUNT} AS account FROM json_to_recordset(request -> 'scopes') AS s(scope text, key text, period text)) x
    WHERE x.account = ANY (accounts) ORDER BY x.account
    ON CONFLICT (account) DO NOTHING;
  END IF;
${LOCK(schema, "locked")};
${SETTLE(schema)};
  SELECT array_agg(l.reservation_id) INTO settled
  FROM ${schema}.budget_ledger l JOIN ${schema}.budget_reservations r USING (reservation_id)
  WHERE l.session_id = owner_session AND r.accounts <@ locked;
  IF settled IS NOT NULL THEN
${FOLD(schema, "settled")};
  END IF;
  SELECT r.* INTO kept FROM ${schema}.budget_reservations r WHERE r.reservation_id = wanted.id FOR UPDATE;
  IF FOUND THEN
    old_usd := kept.usd; old_tokens := kept.tokens; old_calls := kept.calls;
  END IF;
  asked_usd := coalesce(asked.usd, 0);
  new_usd := coalesce(wanted.usd, 0); new_tokens := coalesce(wanted.tokens, 0); new_calls := coalesce(wanted.calls, 0);
  -- What was kept back for it is the call's own: no limit that was lowered since takes it away.
  is_larger := old_accounts IS NULL OR NOT accounts <@ old_accounts
    OR new_usd + asked_usd > old_usd OR new_tokens + asked.tokens > old_tokens OR new_calls + asked.calls > old_calls;
  FOR line IN
    SELECT s.scope, s.key, s.period, a.account, d.dimension, d.max_value, d.used, d.reserved, d.needed, d.own,
           coalesce(b.soft_ratio, s.soft_ratio, 1) AS soft_ratio
    FROM json_to_recordset(request -> 'scopes')
        AS s(scope text, key text, period text, stored boolean, usd numeric, tokens bigint, calls bigint, soft_ratio numeric)
      JOIN ${schema}.budget_accounts a ON a.account = ${ACCOUNT}
      LEFT JOIN ${schema}.budgets b ON s.stored AND b.scope = s.scope AND b.key = s.key AND b.period = s.period,
      LATERAL (SELECT coalesce(a.account = ANY (old_accounts), false) AS has_old) o,
      LATERAL (VALUES
        ('usd', CASE WHEN s.stored THEN b.limit_usd ELSE s.usd END, a.used_usd, a.reserved_usd,
         asked_usd + new_usd, CASE WHEN o.has_old THEN old_usd ELSE 0 END),
        ('tokens', CASE WHEN s.stored THEN b.limit_tokens ELSE s.tokens END, a.used_tokens, a.reserved_tokens,
         asked.tokens + new_tokens, CASE WHEN o.has_old THEN old_tokens ELSE 0 END),
        ('calls', CASE WHEN s.stored THEN b.limit_calls ELSE s.calls END, a.used_calls, a.reserved_calls,
         asked.calls + new_calls, CASE WHEN o.has_old THEN old_calls ELSE 0 END)
      ) AS d(dimension, max_value, used, reserved, needed, own)
    WHERE a.account = ANY (accounts) AND d.max_value IS NOT NULL
    ORDER BY a.account, d.dimension
  LOOP
    IF line.dimension = 'usd' AND (asked.usd IS NULL OR (wanted.id IS NOT NULL AND wanted.usd IS NULL)) THEN
      RETURN json_build_object('verdict', 'unpriced', 'cause', json_build_object('scope', line.scope, 'key', line.key,
        'period', line.period, 'dimension', line.dimension, 'limit', line.max_value::float8, 'used', line.used::float8,
        'reserved', line.reserved::float8));
    END IF;
    IF is_larger AND line.used + line.reserved - line.own + line.needed > line.max_value THEN
      is_blocked := is_blocked OR line.used + line.needed > line.max_value;
      IF NOT is_refused THEN
        refused := json_build_object('scope', line.scope, 'key', line.key, 'period', line.period, 'dimension', line.dimension,
          'limit', line.max_value::float8, 'used', line.used::float8, 'reserved', line.reserved::float8);
      END IF;
      is_refused := true;
    ELSIF softened IS NULL AND line.used >= line.soft_ratio * line.max_value THEN
      softened := json_build_object('scope', line.scope, 'key', line.key, 'period', line.period, 'dimension', line.dimension,
        'limit', line.max_value::float8, 'used', line.used::float8, 'reserved', line.reserved::float8);
    END IF;
  END LOOP;
  IF is_refused THEN
    RETURN json_build_object('verdict', 'refused', 'may_pass', NOT is_blocked, 'cause', refused, 'kept_tokens', old_tokens);
  END IF;
  IF softened IS NOT NULL AND NOT (request ->> 'is_last')::boolean THEN
    RETURN json_build_object('verdict', 'soft', 'cause', softened, 'kept_tokens', old_tokens);
  END IF;
  INSERT INTO ${schema}.budget_reservations
    (reservation_id, kind, session_id, lease_epoch, execution_id, accounts, usd, tokens, calls)
  VALUES (asked.id, 'call', owner_session, owner_epoch, asked.execution_id, accounts, asked_usd, asked.tokens, asked.calls);
  IF wanted.id IS NOT NULL THEN
    DELETE FROM ${schema}.budget_reservations r WHERE r.reservation_id = wanted.id;
    IF new_usd > 0 OR new_tokens > 0 OR new_calls > 0 THEN
      INSERT INTO ${schema}.budget_reservations
        (reservation_id, kind, session_id, lease_epoch, execution_id, accounts, usd, tokens, calls)
      VALUES (wanted.id, 'conclusion', owner_session, owner_epoch, asked.execution_id, accounts, new_usd, new_tokens, new_calls);
    END IF;
  END IF;
  UPDATE ${schema}.budget_accounts a SET
    reserved_usd = a.reserved_usd + CASE WHEN a.account = ANY (accounts) THEN asked_usd + new_usd ELSE 0 END
      - CASE WHEN a.account = ANY (old_accounts) THEN old_usd ELSE 0 END,
    reserved_tokens = a.reserved_tokens + CASE WHEN a.account = ANY (accounts) THEN asked.tokens + new_tokens ELSE 0 END
      - CASE WHEN a.account = ANY (old_accounts) THEN old_tokens ELSE 0 END,
    reserved_calls = a.reserved_calls + CASE WHEN a.account = ANY (accounts) THEN asked.calls + new_calls ELSE 0 END
      - CASE WHEN a.account = ANY (old_accounts) THEN old_calls ELSE 0 END
  WHERE a.account = ANY (locked);
  RETURN json_build_object('verdict', 'granted');
END`,
    execute: ["executor"],
  },
  {
    // Folds at most `page` rows of the ledger, oldest first; returns how many there were.
    name: "tarsy_fold_budgets",
    parameters: "page integer",
    returns: "integer",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  settled uuid[];
  touched text[];
BEGIN
  SELECT array_agg(x.reservation_id) INTO settled
  FROM (SELECT l.reservation_id FROM ${schema}.budget_ledger l ORDER BY l.created_at LIMIT page) x;
  IF settled IS NULL THEN RETURN 0; END IF;
  SELECT array_agg(DISTINCT charged.account) INTO touched
  FROM ${schema}.budget_reservations r, unnest(r.accounts) AS charged(account) WHERE r.reservation_id = ANY (settled);
${LOCK(schema, "touched")};
${FOLD(schema, "settled")};
  RETURN array_length(settled, 1);
END`,
    execute: ["api"],
  },
  {
    // Settles what owners that are gone have left, at most `page` rows: a call whose outcome is unknown has used the most that it
    // could; what was kept for a conclusion of an agent that has ended has used nothing. An owner whose epoch is past, or that gave
    // its lease back, can settle nothing itself any more: the fence refuses its steps. Returns how many calls were settled so.
    name: "tarsy_settle_lost_budgets",
    parameters: "page integer",
    returns: "integer",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  lost integer;
BEGIN
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT r.reservation_id, r.session_id, r.usd, r.tokens, r.calls FROM ${schema}.budget_reservations r
  WHERE r.kind = 'call' AND NOT EXISTS (SELECT FROM ${schema}.session_runtime o
    WHERE o.session_id = r.session_id AND o.lease_epoch = r.lease_epoch AND o.lease_expires_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM ${schema}.budget_ledger l WHERE l.reservation_id = r.reservation_id)
  LIMIT page ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS lost = ROW_COUNT;
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT r.reservation_id, r.session_id, 0, 0, 0 FROM ${schema}.budget_reservations r
  WHERE r.kind = 'conclusion' AND NOT EXISTS (SELECT FROM ${schema}.agent_executions e
    WHERE e.execution_id = r.execution_id AND e.status IN ('pending', 'active'))
    AND NOT EXISTS (SELECT FROM ${schema}.budget_ledger l WHERE l.reservation_id = r.reservation_id)
  LIMIT page ON CONFLICT DO NOTHING;
  RETURN lost;
END`,
    execute: ["api"],
  },
  {
    name: "tarsy_remove_old_budget_accounts",
    parameters: "page integer",
    returns: "integer",
    language: "sql",
    body: (schema) => `
WITH old AS (
  SELECT a.account FROM ${schema}.budget_accounts a
  WHERE a.session_id IS NULL AND a.created_at < now() - make_interval(days => 400)
    AND a.reserved_calls = 0 ORDER BY a.created_at LIMIT page FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ${schema}.budget_accounts a USING old WHERE a.account = old.account RETURNING 1
)
SELECT count(*)::integer FROM deleted`,
    execute: ["api"],
  },
];
