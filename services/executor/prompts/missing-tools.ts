import type { ServerOffer } from "./prompt-input.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { frame, oneLine } from "./untrusted-text.ts";

/** What an agent should have and has not: servers that are away, with the reason, and tools that are not offered. */
export function missingTools(
  { unavailable, missing }: Pick<ServerOffer, "unavailable" | "missing">,
  nonce: SessionNonce,
): string[] {
  const servers = unavailable.map(({ server, reason }) => `- ${oneLine(server)}: ${oneLine(reason)}`);
  return [
    ...(servers.length === 0 ? [] : [`${UNAVAILABLE}\n\n${frame(nonce, "SERVERS", servers.join("\n"))}`]),
    ...(missing.length === 0 ? [] : [`${NOT_OFFERED}${missing.map(oneLine).join(", ")}`]),
  ];
}

const UNAVAILABLE = `## Unavailable MCP Servers

The tools of these servers are not available: do not call them, and say in your answer what could not be checked without them.`;

const NOT_OFFERED = `## Missing Tools

These tools were asked for but not offered: `;
