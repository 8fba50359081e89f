import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ApiDeps } from "../api-deps.ts";
import { maskAlerts } from "../alerts/mask-alert.ts";

/** What a source reports that starts no session. */
interface SourceNotification {
  readonly source: string;
  /** Of this notification: a repetition is not stored again. */
  readonly key: string;
  /** Of the submission that had the same alerts. */
  readonly sessionKey: string;
  readonly body: string;
}

const STORE = `
WITH known AS (
  SELECT (SELECT k.session_id FROM idempotency_keys k WHERE k.key = $2 AND k.expires_at > now()) AS session_id
), stored AS (
  INSERT INTO alert_notifications (key, source, session_id, body) SELECT $1, $3, session_id, $4 FROM known
  ON CONFLICT (key) DO NOTHING
)
SELECT session_id FROM known`;
const parseKnown = compileParser(
  "session of a notification",
  Type.Object({ session_id: Type.Union([Type.String(), Type.Null()]) }),
);

/** Returns a function that stores notifications, masked like alerts, and resolves with the session of the same alerts, if any. */
export function notificationStore({
  db,
  config,
  masker,
  log,
}: ApiDeps): (notification: SourceNotification) => Promise<string | null> {
  const mask = maskAlerts({ masker, rules: rulesOfAlerts(config.agents.defaults.alert_masking), log });
  return async ({ source, key, sessionKey, body }) => {
    const { data } = await mask({ data: body, runbook: null, slackFingerprint: null, mcp: null });
    const text = postgresSafeText(data).text;
    const [known] = await selectRows(db, parseKnown, STORE, [key, sessionKey, source, text]);
    return known?.session_id ?? null;
  };
}
