import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";

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

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

const bySystem: Resolve = async (name) => lookup(name, { all: true });

/** Resolves the name of a connection once, and fails if one of its addresses is a metadata address. */
export function blockedLookup(resolve: Resolve = bySystem): LookupFunction {
  return (name, options, callback) => {
    const answer = async (): Promise<void> => {
      const found = await checked(name, resolve);
      if (found instanceof Error) callback(found, "");
      else if (options.all === true) callback(null, [...found.all]);
      else callback(null, found.first.address, found.first.family);
    };
    void answer();
  };
}

/** Never rejects. */
async function checked(
  name: string,
  resolve: Resolve,
): Promise<{ readonly first: LookupAddress; readonly all: readonly LookupAddress[] } | Error> {
  try {
    const all = await resolve(name);
    const [first] = all;
    const wrong = all.find(({ address }) => isMetadataAddress(address));
    if (wrong !== undefined) {
      return new Error(`${name} has the address ${wrong.address}, which is not allowed`);
    }
    return first === undefined ? new Error(`${name} has no address`) : { first, all };
  } catch (error) {
    return new Error(`${name} cannot be resolved`, { cause: error });
  }
}
