import { RUNBOOK_FETCH_MS } from "#shared/contracts/runbook-fetch.ts";
import { runbookAddress } from "#shared/runbooks/runbook-address.ts";
import { EgressError, guardedFetch, type EgressRules } from "../egress/guarded-fetch.ts";
import type { RunbookSettings } from "./runbook-settings.ts";

/** A runbook's text, or why there is none. */
type FetchedRunbook = { readonly text: string } | { readonly failure: string };

const MAX_BYTES = 1_024 * 1_024;
/** The hosts that the token is for. */
const GITHUB_HOSTS: ReadonlySet<string> = new Set([
  "github.com",
  "raw.githubusercontent.com",
  "api.github.com",
]);

/**
 * Fetches a runbook: at most 1 MiB of text within 10 s, from allowed hosts only (`guarded-fetch.ts`). GitHub's hosts get the token,
 * and no other host does. Throws the signal's reason once it aborts; any other failure is an outcome.
 */
export async function fetchRunbook(
  runbook: string,
  { allowedHosts, githubToken }: Pick<RunbookSettings, "allowedHosts" | "githubToken">,
  signal: AbortSignal,
  network: Pick<EgressRules, "resolve" | "isBlocked" | "ca"> = {},
): Promise<FetchedRunbook> {
  const address = runbookAddress(runbook, allowedHosts);
  if ("problem" in address) return { failure: address.problem };
  const headersFor = ({ hostname }: URL): Record<string, string> =>
    githubToken !== "" && GITHUB_HOSTS.has(hostname) ? { authorization: `Bearer ${githubToken}` } : {};
  const rules = { allowedHosts, headersFor, maxBytes: MAX_BYTES, timeoutMs: RUNBOOK_FETCH_MS, ...network };
  try {
    const text = (await guardedFetch(address.url, rules, signal)).trim();
    return text === "" ? { failure: "the answer is empty" } : { text };
  } catch (error) {
    if (error instanceof EgressError) return { failure: error.message };
    throw error;
  }
}
