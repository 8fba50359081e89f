import { inboxPrefix } from "#shared/contracts/bus-users.ts";

/** Where NATS is and who we are there, as its client wants them. */
export interface NatsAddress {
  /** host:port of each server of the cluster. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly inboxPrefix?: string;
}

/**
 * Reads `nats://user:password@host:port`, or several of them separated by commas. The client leaves a URL's user aside, and
 * knows one for all servers: the first that is named counts. A user has its inboxes to itself.
 */
export function parseNatsAddress(text: string): NatsAddress {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const servers = urls.map(({ protocol, host }) => `${protocol}//${host}`);
  const named = urls.find(({ username }) => username !== "");
  if (named === undefined) return { servers };
  const user = decodeURIComponent(named.username);
  return { servers, user, pass: decodeURIComponent(named.password), inboxPrefix: inboxPrefix(user) };
}
