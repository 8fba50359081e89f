/** GitHub's, of which the second has the files. */
const DEFAULT_HOSTS = ["github.com", "raw.githubusercontent.com"];

/**
 * The hosts that runbooks may be fetched from, in small letters, with the port where it is not 443. To be called with the
 * section `system.runbooks`; without it none is fetched.
 */
export function runbookHosts({
  allowed_domains: domains = DEFAULT_HOSTS,
}: {
  readonly allowed_domains?: readonly string[];
}): readonly string[] {
  const hosts = domains.map((host) => host.toLowerCase().replace(/^www\./u, ""));
  // A page on GitHub is read from its host of files.
  return hosts.includes("github.com") ? [...new Set([...hosts, "raw.githubusercontent.com"])] : hosts;
}
