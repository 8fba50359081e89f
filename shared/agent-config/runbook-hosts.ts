import type { AgentConfig } from "#shared/agent-config/agent-config.ts";

/** GitHub's, of which the second has the files. */
const DEFAULT_HOSTS = ["github.com", "raw.githubusercontent.com"];

/**
 * The hosts that runbooks may be fetched from, in small letters, with the port where it is not 443; undefined if none is
 * fetched, because the configuration has no section `system.runbooks`.
 */
export function runbookHosts({ system }: Pick<AgentConfig, "system">): readonly string[] | undefined {
  if (system.runbooks === undefined) return undefined;
  const hosts = (system.runbooks.allowed_domains ?? DEFAULT_HOSTS).map((host) =>
    host.toLowerCase().replace(/^www\./u, ""),
  );
  // A page on GitHub is read from its host of files.
  return hosts.includes("github.com") ? [...new Set([...hosts, "raw.githubusercontent.com"])] : hosts;
}
