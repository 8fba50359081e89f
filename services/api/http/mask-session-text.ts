import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { readSessionMasking } from "#shared/masking/read-session-masking.ts";
import type { Logger } from "#shared/service/logger.ts";

interface MaskingDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly masker: Pick<Masker, "mask">;
  /** As for the alerts that people write. */
  readonly rules: MaskingRules;
}

/**
 * What a person wrote to a session, as it may be stored and shown to the model: masked with the session's key, also what was masked
 * in the session before. A notice that names it by `what` if masking fails. Throws database errors.
 */
export async function maskSessionText(
  { db, log, masker, rules }: MaskingDeps,
  sessionId: string,
  what: string,
  text: string | null,
): Promise<string | null> {
  if (text === null) return null;
  const { key, seen } = await readSessionMasking(db, sessionId);
  try {
    return (await masker.mask(text, { rules, key, seen })).text;
  } catch (error) {
    log.error({ session_id: sessionId, error: errorMessage(error) }, `${what} withheld`);
    return `[The ${what} is withheld: masking the secrets in it failed.]`;
  }
}
