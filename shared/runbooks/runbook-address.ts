/** The addresses of a runbook, the likeliest one first, or why its address is none that may be fetched. */
type RunbookAddress = { readonly urls: readonly URL[] } | { readonly problem: string };

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
 * The address from which a runbook is fetched. Pages of files on Git hosts become the files themselves; on a host of an unknown kind the address as it
 * is comes last. The hosts that may be asked are in small
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
  const page = new URL(url.href.replace(url.host, host));
  page.hash = "";
  return { urls: filesOf(page) };
}

/** The names that GitHub, GitLab, Bitbucket and Gitea use for the pages of a file. */
const PAGES = new Set(["blob", "edit", "blame", "raw", "src", "browse"]);

/** The files that a page of a Git host shows. */
function filesOf(page: URL): readonly URL[] {
  const parts = page.pathname.split("/").filter((part) => part !== "");
  const at = (path: readonly string[], origin = page.origin, query = page.search) =>
    new URL(`${origin}/${path.join("/")}${query}`);
  const [owner = "", repository = "", third = "", name = "Home"] = parts;
  if (page.host === "github.com") {
    const raw = "https://raw.githubusercontent.com";
    if (third === "wiki") return [at(["wiki", owner, repository, fileOfWiki(name)], raw, "")];
    const isFile = PAGES.has(third) && parts.length > 4;
    return isFile ? [at([owner, repository, ...parts.slice(3)], raw, "")] : [page];
  }
  if (third === "wiki") {
    const file = fileOfWiki(name);
    return [
      at(["raw", "wiki", owner, repository, file], page.origin, ""),
      at([owner, repository, "wiki", "raw", file], page.origin, ""),
      page,
    ];
  }
  // Behind at least an owner and a repository, and before at least a revision or a file.
  const kind = parts.findIndex((part, index) => index >= 2 && PAGES.has(part) && index < parts.length - 1);
  if (kind === -1 || parts[kind] === "raw") return [page];
  return [at(parts.with(kind, "raw")), page];
}

/** Pages of a wiki are files of Markdown unless they say something else. */
function fileOfWiki(name: string): string {
  return /\.\w+$/u.test(name) ? name : `${name}.md`;
}
