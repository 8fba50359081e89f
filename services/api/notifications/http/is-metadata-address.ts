import { BlockList, isIP } from "node:net";

/** Where clouds give credentials to every program of a machine: no receiver of notifications is there. */
const blocked = new BlockList();
blocked.addSubnet("169.254.0.0", 16, "ipv4");
blocked.addAddress("100.100.100.200", "ipv4");
blocked.addSubnet("fe80::", 10, "ipv6");
blocked.addAddress("fd00:ec2::254", "ipv6");
blocked.addAddress("fd20:ce::254", "ipv6");
blocked.addSubnet("::ffff:169.254.0.0", 112, "ipv6");

/** True for link-local addresses and those of metadata services. Other private addresses are an operator's own. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address.replace(/^\[|\]$/gu, ""));
  return family !== 0 && blocked.check(address.replace(/^\[|\]$/gu, ""), family === 4 ? "ipv4" : "ipv6");
}
