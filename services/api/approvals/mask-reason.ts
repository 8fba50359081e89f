import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { readSessionMasking } from "#shared/masking/read-session-masking.ts";
import type { Logger } from "#shared/service/logger.ts";

const WITHHELD = "[The reason is withheld: masking the secrets in it failed.]";

interface MaskingDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly masker: Pick<Masker, "mask">;
  /** As for the alerts that people write. */
  readonly rules: MaskingRules;
}

/**
 * The reason of a decision as it may be stored and shown to the model: masked with the session's key, also what was masked in
 * the session before. A notice if masking fails. Throws database errors.
 */
export async function maskReason(
  { db, log, masker, rules }: MaskingDeps,
  sessionId: string,
  reason: string | null,
): Promise<string | null> {
  if (reason === null) return null;
  const { key, seen } = await readSessionMasking(db, sessionId);
  try {
    return (await masker.mask(reason, { rules, key, seen })).text;
  } catch (error) {
    log.error({ session_id: sessionId, error: errorMessage(error) }, "reason of a decision withheld");
    return WITHHELD;
  }
}
