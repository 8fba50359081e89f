import { hostName, isLoopback } from "#shared/access/allowed-hosts.ts";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";
import { TerminalError } from "#shared/errors.ts";
import type { OAuth } from "../server-settings.ts";

/** The unspecified addresses, and those of loopback within IPv6. */
const OTHER_LOOPBACK = /^(?:0\.0\.0\.0|::|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}|.+\.localhost)$/u;

/**
 * Throws TerminalError for an address at which no authorization server of this MCP server is. One that the configuration does not name
 * must be the MCP server itself: another address may belong to an attacker. One that it names may name others, but none that only this
 * machine reaches.
 */
export function refuseOtherServer(
  { origin, hostname }: URL,
  { url, auth: { issuer } }: { readonly url: URL; readonly auth: OAuth },
): void {
  if (origin === url.origin) return;
  if (issuer === undefined) {
    const message = `the server names ${origin} as its authorization server: set auth.issuer to that if it is right`;
    throw new TerminalError("oauth", message);
  }
  if (origin === new URL(issuer).origin) return;
  const host = hostName(hostname).replaceAll(/[[\]]/gu, "");
  if (isLoopback(host) || OTHER_LOOPBACK.test(host) || isMetadataAddress(host)) {
    throw new TerminalError("oauth", `${issuer} names ${origin}, an address of the tool-runner's own`);
  }
}
