import { AccessRefused } from "#shared/access/access-refused.ts";

/** Names of this machine alone: no other machine's page can have one of them. */
export const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"] as const;

/** True for an address that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(address);
}

/** A `Host` header or URL host without its port and trailing dot, in lower case. */
export function hostName(host: string): string {
  return host.trim().toLowerCase().replace(/:\d*$/u, "").replace(/\.$/u, "");
}

/**
 * Checks the `Host` header of a request: a page of another site whose name an attacker lets lead to this machine sends
 * its own name (DNS rebinding). Throws AccessRefused 421 unless the name is one of `allowed`.
 */
export function checkHost(host: string | undefined, allowed: ReadonlySet<string>): void {
  if (host !== undefined && allowed.has(hostName(host))) return;
  // Any text may stand there, and the audit log has what is answered.
  const named =
    host !== undefined && /^[\w.:[\]-]{1,100}$/u.test(host) ? `host '${host}'` : "an invalid host";
  const given = host === undefined ? "no host" : named;
  throw new AccessRefused(
    421,
    "misdirected",
    `${given} is not served here: use localhost, or add the name to ALLOWED_HOSTS`,
  );
}
