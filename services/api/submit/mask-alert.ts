import { randomUUID } from "node:crypto";
import { errorMessage } from "#shared/errors.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import type { Logger } from "#shared/service/logger.ts";

/** The texts of an alert. */
interface AlertTexts {
  readonly data: string;
  readonly runbook: string | null;
  readonly slackFingerprint: string | null;
}

/** What is stored of an alert's texts. */
export interface MaskedAlert extends AlertTexts {
  /** The session's key. */
  readonly maskKey: string;
  readonly maskedValues: readonly MaskedValue[];
  readonly maskCounts: Readonly<Record<string, number>>;
  /** Masking failed: the texts are notices. */
  readonly isWithheld: boolean;
}

const WITHHELD_ALERT =
  "[The alert's text is withheld: masking the secrets in it failed. Only its type and its time are known.]";
const WITHHELD_RUNBOOK = "[The runbook is withheld: masking the secrets in it failed.]";

/**
 * Returns a function that masks an alert's texts before anything of them is stored. If masking fails, text and runbook are
 * replaced by notices, so that the alert is still investigated, and the fingerprint is left out.
 */
export function maskAlerts({
  masker,
  rules,
  log,
}: {
  readonly masker: Masker;
  readonly rules: MaskingRules;
  readonly log: Logger;
}): <A extends AlertTexts>(alert: A) => Promise<A & MaskedAlert> {
  return async (alert) => {
    const maskKey = randomUUID();
    try {
      const data = await masker.mask(alert.data, { rules, key: maskKey });
      const runbook =
        alert.runbook === null
          ? undefined
          : await masker.mask(alert.runbook, { rules, key: maskKey, seen: data.values });
      const seen = [...data.values, ...(runbook?.values ?? [])];
      const slack =
        alert.slackFingerprint === null
          ? undefined
          : await masker.mask(alert.slackFingerprint, { rules, key: maskKey, seen });
      return {
        ...alert,
        data: data.text,
        runbook: runbook?.text ?? null,
        slackFingerprint: slack?.text ?? null,
        maskKey,
        maskedValues: [...seen, ...(slack?.values ?? [])],
        maskCounts: data.counts,
        isWithheld: false,
      };
    } catch (error) {
      log.error({ error: errorMessage(error) }, "alert withheld");
      return {
        ...alert,
        data: WITHHELD_ALERT,
        runbook: alert.runbook === null ? null : WITHHELD_RUNBOOK,
        slackFingerprint: null,
        maskKey,
        maskedValues: [],
        maskCounts: {},
        isWithheld: true,
      };
    }
  };
}
