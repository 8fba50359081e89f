import { BlockList, isIP } from "node:net";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";

/** Networks that nothing outside is in: IANA's special-purpose registries. */
const NETWORKS: readonly (readonly [address: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // IPv6: everything but global unicast is refused below; these are the exceptions within it.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const blocked = new BlockList();
for (const [address, prefix] of NETWORKS) {
  blocked.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/**
 * True unless this is an address of the public internet: also for private, link-local, loopback, metadata, multicast and reserved
 * addresses, IPv4 addresses inside IPv6 ones, and for what is no address.
 */
export function isBlockedAddress(address: string): boolean {
  const family = isIP(address);
  if (isMetadataAddress(address)) return true;
  if (family === 4) return blocked.check(address, "ipv4");
  return family !== 6 || !globalUnicast.check(address, "ipv6") || blocked.check(address, "ipv6");
}
