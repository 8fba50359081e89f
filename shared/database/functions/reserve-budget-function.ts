import { FOLD, LOCK, accountName } from "#shared/database/functions/budget-sql.ts";
import type { OwnedFunction } from "#shared/database/schema/service-roles.ts";

const ACCOUNT = accountName("owner_session::text");

/** What the calls before have used, by the steps of the same statement, of which other parts may not be visible yet. */
const SETTLE = (schema: string) => `
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT s.reservation_id, owner_session, s.usd, s.tokens, s.calls
  FROM json_to_recordset(request -> 'settled') AS s(reservation_id uuid, usd numeric, tokens bigint, calls bigint)
  ON CONFLICT DO NOTHING`;

const DECLARATIONS = `
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
  is_larger boolean;`;

/** Opens the accounts that are missing, locks all, and adds to them what the session has settled: then they say what is free. */
const OPEN = (schema: string) => `
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
  END IF;`;

/** Compares each limit with what is used, reserved and asked for. What the agent has kept back already is its own. */
const COMPARE = (schema: string) => `
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
  END LOOP;`;

const DECIDE = `
  IF is_refused THEN
    RETURN json_build_object('verdict', 'refused', 'may_pass', NOT is_blocked, 'cause', refused, 'kept_tokens', old_tokens);
  END IF;
  IF softened IS NOT NULL AND NOT (request ->> 'is_last')::boolean THEN
    RETURN json_build_object('verdict', 'soft', 'cause', softened, 'kept_tokens', old_tokens);
  END IF;`;

/** Reserves in all accounts. */
const TAKE = (schema: string) => `
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
  RETURN json_build_object('verdict', 'granted');`;

/**
 * Reserves for a call. `request`: `scopes` (scope, key, period; `stored`: the limits are those in the table, else those given),
 * `reservation` with the most that the call can use, `conclusion` with what is kept for the agent's conclusion from now on (absent:
 * what is kept stays), `is_last`: the call is the conclusion itself, `settled`: what calls before have used. Either everything is
 * reserved in every account, or nothing.
 */
export const RESERVE_BUDGET: OwnedFunction = {
  name: "tarsy_reserve_budget",
  parameters: "owner_session uuid, owner_epoch integer, request json",
  returns: "json",
  language: "plpgsql",
  body: (schema) => `
${DECLARATIONS}
BEGIN
${OPEN(schema)}
${COMPARE(schema)}
${DECIDE}
${TAKE(schema)}
END`,
  execute: ["executor"],
};
