/** The address of a runbook, or why it is none that may be fetched. */
type RunbookAddress = { readonly url: URL } | { readonly problem: string };

/** True for a runbook that is an address, not a text. */
export function isRunbookAddress(runbook: string): boolean {
  const address = runbook.trim();
  return /^https?:\/\/\S+$/iu.test(address) && URL.canParse(address);
}

/**
 * The addresses to fetch a session's runbook from, in this order, until one of them has a text: the alert's and the configured
 * one. None if the alert's or, without one, the configured one is a text, or an address with a variable in it.
 */
export function runbookAddresses(ofAlert: string | null, configured: string): readonly string[] {
  const given = [ofAlert ?? "", configured]
    .map((runbook) => runbook.trim())
    .filter((runbook) => runbook !== "");
  const firstText = given.findIndex((runbook) => runbook.includes("{{") || !isRunbookAddress(runbook));
  return [...new Set(firstText === -1 ? given : given.slice(0, firstText))];
}

/**
 * Where a runbook is fetched. Pages of files on GitHub and GitLab become the files themselves. The hosts that may be asked are in small
 * letters, with the port where it is not 443; `www.` in front of a host changes nothing.
 */
export function runbookAddress(runbook: string, allowedHosts: readonly string[]): RunbookAddress {
  const url = URL.parse(runbook.trim());
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    return { problem: "must be an http or https address" };
  }
  if (url.protocol !== "https:") return { problem: "must use https" };
  if (url.username !== "" || url.password !== "") {
    return { problem: "must not have a user name or a password" };
  }
  const host = url.host.replace(/^www\./u, "");
  if (!allowedHosts.includes(host)) {
    return { problem: `its host ${url.host} is not allowed; allowed: ${allowedHosts.join(", ")}` };
  }
  return { url: rawFile(new URL(url.href.replace(url.host, host))) };
}

/** The file that a page of a Git host shows; any other address as it is. */
function rawFile(url: URL): URL {
  const [, owner, repository, kind, ...file] = url.pathname.split("/");
  if (url.host === "github.com" && kind === "blob" && file.length > 1) {
    return new URL(`https://raw.githubusercontent.com/${owner}/${repository}/${file.join("/")}`);
  }
  if (url.pathname.includes("/-/blob/")) {
    return new URL(`${url.origin}${url.pathname.replace("/-/blob/", "/-/raw/")}`);
  }
  return url;
}
