import { inboxPrefix } from "#shared/contracts/bus-users.ts";

/** Servers and credentials, as options of the NATS client. */
interface NatsAddress {
  /** `protocol//host:port` of each server of the cluster. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly inboxPrefix?: string;
}

/**
 * Parses `nats://user:password@host:port`, or several such URLs separated by commas. The client ignores a URL's user
 * and takes one user for all servers: the first one named is used. Each user has an inbox prefix of its own.
 */
export function parseNatsAddress(text: string): NatsAddress {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const servers = urls.map(({ protocol, host }) => `${protocol}//${host}`);
  const named = urls.find(({ username }) => username !== "");
  if (named === undefined) return { servers };
  const user = decodeURIComponent(named.username);
  return { servers, user, pass: decodeURIComponent(named.password), inboxPrefix: inboxPrefix(user) };
}
