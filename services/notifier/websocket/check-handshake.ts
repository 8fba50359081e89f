/** Says whether a handshake with this `Origin` header may go on. */
export type OriginPolicy = (origin: string | undefined) => boolean;

const THIS_MACHINE = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * A browser names the page that opens a socket, so a foreign page is refused here; other programs send no Origin and
 * pass until there is authentication. With a list only its exact origins pass; without one, pages served from this
 * machine on any port.
 */
export function originPolicy(allowed: readonly string[] | undefined): OriginPolicy {
  const listed = new Set(allowed);
  return (origin) => {
    if (origin === undefined) return true;
    if (allowed !== undefined) return listed.has(origin);
    const url = URL.parse(origin);
    if (url === null || url.origin !== origin) return false;
    return /^https?:$/u.test(url.protocol) && THIS_MACHINE.has(url.hostname);
  };
}
