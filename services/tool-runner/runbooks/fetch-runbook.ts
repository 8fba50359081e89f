import { RUNBOOK_FETCH_MS } from "#shared/contracts/runbook-requests.ts";
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
 * Fetches a runbook: at most 1 MiB of text within 10 s, and no web page, from allowed hosts only (`guarded-fetch.ts`). GitHub's hosts get the token,
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
  const rules = {
    allowedHosts,
    headersFor,
    maxBytes: MAX_BYTES,
    timeoutMs: RUNBOOK_FETCH_MS / address.urls.length,
    refuses,
    ...network,
  };
  let failure: string | undefined;
  for (const url of address.urls) {
    try {
      const text = (await guardedFetch(url, rules, signal)).trim();
      if (text !== "") return { text };
      failure ??= "the answer is empty";
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      // The failure at the likeliest address says most.
      failure ??= error.message;
    }
  }
  return { failure: failure ?? "it has no address" };
}

/** Its media type, or after comments its first tag. */
const PAGE_TYPES = new Set(["text/html", "application/xhtml+xml"]);
const PAGE = /^\s*(?:(?:<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)\s*)*<(?:!doctype\s+html|html|head|body)\b/iu;
/** So far a page may have comments before its first tag. */
const MAX_HEAD = 65_536;
const SIGN_IN = /<input[^>]+type=["']?password|\b(?:sign|log)[ -]?in\b|single sign-on/iu;
const NO_TEXT = /^(?:image|audio|video|font)\/|\/(?:pdf|zip|gzip|x-tar)$/u;

/** The reason why a body is no runbook. */
function refuses({ type, text }: { readonly type: string; readonly text: string }): string | undefined {
  if (PAGE_TYPES.has(type) || PAGE.test(text.slice(0, MAX_HEAD))) {
    return SIGN_IN.test(text)
      ? "a page to sign in, not with the file: it is not public, or no token is sent to this host"
      : "a web page, not with a file: give the address of the raw file";
  }
  const isText = !NO_TEXT.test(type) && !text.includes("\u0000");
  return isText ? undefined : `${type === "" ? "binary content" : type}, not with a text`;
}
