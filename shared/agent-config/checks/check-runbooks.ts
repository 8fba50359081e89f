import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { parseRunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import { runbookAddress, runbookAddresses } from "#shared/runbooks/runbook-address.ts";

/**
 * Checks `system.runbooks` and, where runbooks are fetched, that the addresses which chains and the defaults give as their runbook
 * may be.
 */
export function checkRunbooks({
  tarsy,
  chains,
  reporter,
}: Pick<CheckContext, "tarsy" | "chains" | "reporter">): void {
  const section = tarsy.system?.runbooks;
  if (section === undefined) return;
  const { allowed_domains: domains, repo_url: repoUrl } = section;
  const hosts = runbookHosts(
    domains === undefined ? {} : { allowed_domains: domains.filter((domain) => typeof domain === "string") },
  );
  for (const entry of [tarsy.defaults, ...chains.values()]) {
    if (typeof entry?.runbook !== "string") continue;
    const [address] = runbookAddresses(null, entry.runbook);
    const checked = address === undefined ? undefined : runbookAddress(address, hosts);
    if (checked !== undefined && "problem" in checked) {
      reporter.error(
        { container: entry, key: "runbook" },
        "must be a text or an address that may be fetched",
        checked.problem,
      );
    }
  }
  if (typeof repoUrl !== "string") return;
  const where = { container: section, key: "repo_url" };
  const repository = parseRunbookRepository(repoUrl);
  if (typeof repository === "string") reporter.error(where, repository);
  else if (!hosts.includes(repository.host)) {
    reporter.error(
      where,
      "must be on a host that runbooks may be fetched from",
      `allowed: ${hosts.join(", ")}`,
    );
  }
}
