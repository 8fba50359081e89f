import { createHash } from "node:crypto";
import { AGENTS } from "#shared/database/baseline/agents.ts";
import { ALERTS } from "#shared/database/baseline/alerts.ts";
import { FOLLOW_UPS } from "#shared/database/baseline/follow-ups.ts";
import { OPERATIONS } from "#shared/database/baseline/operations.ts";
import { SESSION_TEXTS } from "#shared/database/baseline/session-texts.ts";
import { SESSIONS } from "#shared/database/baseline/sessions.ts";
import { TOOLS } from "#shared/database/baseline/tools.ts";
import { TYPES } from "#shared/database/baseline/types.ts";

/** Every table of the first release with its indexes, functions and triggers; tables before those that refer to them. */
export const BASELINE_TABLES = [
  TYPES,
  SESSIONS,
  SESSION_TEXTS,
  AGENTS,
  FOLLOW_UPS,
  TOOLS,
  ALERTS,
  OPERATIONS,
].join("\n");

const HASH_LENGTH = 16;

/** The name of a baseline: a digest of its statements, whatever their comments and line breaks. */
export function baselineHash(pastTriggers: (schema: string) => string): string {
  const statements = `${BASELINE_TABLES}${pastTriggers("public")}`.replaceAll(/^--.*$/gmu, "");
  return createHash("sha256").update(statements.replaceAll(/\s+/gu, " ")).digest("hex").slice(0, HASH_LENGTH);
}
