import { randomUUID } from "node:crypto";
import { errorMessage } from "#shared/errors.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { McpSelection } from "./contract.ts";

/** The texts of an alert. */
interface AlertTexts {
  readonly data: string;
  readonly runbook: string | null;
  readonly slackFingerprint: string | null;
  /** Null if it selects no servers. The names of servers must be known ones; those of tools are the client's. */
  readonly mcp: McpSelection | null;
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
      const mcp = await maskTools(
        alert.mcp,
        async (text) => (await masker.mask(text, { rules, key: maskKey, seen })).text,
      );
      return {
        ...alert,
        mcp,
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
        // What was to be masked decides nothing: the session has the tools of the configuration.
        mcp: null,
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

/**
 * The selection with the names of its tools masked: they are the client's words, unlike those of servers. They are looked at together first,
 * because there may be thousands, and hardly ever is one a secret.
 */
async function maskTools(
  mcp: McpSelection | null,
  mask: (text: string) => Promise<string>,
): Promise<McpSelection | null> {
  if (mcp === null) return null;
  const names = mcp.servers.flatMap(({ tools }) => tools ?? []).join("\n");
  if ((await mask(names)) === names) return mcp;
  const servers = [];
  for (const server of mcp.servers) {
    const tools: string[] = [];
    for (const name of server.tools ?? []) tools.push(await mask(name));
    servers.push({ ...server, ...(server.tools ? { tools } : {}) });
  }
  return { ...mcp, servers };
}
