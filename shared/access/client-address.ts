import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import { TerminalError } from "#shared/errors.ts";

/** The networks that no machine on the internet has. */
const PRIVATE_NETWORKS = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "127.0.0.0/8",
  "fc00::/7",
  "::1/128",
];
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = { private: PRIVATE_NETWORKS };

/** Distinguishes clients by their addresses. */
export class ClientAddresses {
  readonly #trusted = new BlockList();

  /** `proxies`: addresses, networks such as `10.0.0.0/8`, or `private`. Throws TerminalError for anything else. */
  constructor(proxies: readonly string[]) {
    for (const entry of proxies.flatMap((name) => NAMED_NETWORKS[name] ?? [name])) {
      const [address = "", prefix, ...rest] = entry.split("/");
      const version = isIP(address);
      const longest = version === 6 ? 128 : 32;
      const bits = prefix === undefined ? longest : /^\d{1,3}$/u.test(prefix) ? Number(prefix) : Number.NaN;
      if (version === 0 || Number.isNaN(bits) || bits > longest || rest.length > 0) {
        throw new TerminalError(
          "invalid_environment",
          `environment variable TRUSTED_PROXIES contains "${entry}": each must be an IP address, a network such as 10.0.0.0/8, or private`,
        );
      }
      this.#trusted.addSubnet(address, bits, version === 6 ? "ipv6" : "ipv4");
    }
  }

  /**
   * The client's address: the peer's, or behind trusted proxies the last one in `X-Forwarded-For` that is none of them.
   * Undefined if a proxy that is not trusted has passed the request on, because it may stand for many clients.
   */
  of(headers: IncomingHttpHeaders, peer: string | undefined): string | undefined {
    const forwarded = headers["x-forwarded-for"];
    const isForwarded =
      forwarded !== undefined || headers.forwarded !== undefined || headers.via !== undefined;
    if (peer === undefined) return undefined;
    if (!this.#isTrusted(peer)) return isForwarded ? undefined : peer;
    const hops = String(forwarded ?? "")
      .split(",")
      .map((hop) => hop.trim())
      .filter((hop) => isIP(hop) !== 0);
    return hops.findLast((hop) => !this.#isTrusted(hop)) ?? hops[0];
  }

  #isTrusted(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/iu, "");
    const version = isIP(plain);
    return version !== 0 && this.#trusted.check(plain, version === 6 ? "ipv6" : "ipv4");
  }
}
