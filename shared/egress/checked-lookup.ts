import { lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

interface LookupRules {
  /** The default is the system's. */
  readonly resolve?: Resolve | undefined;
  readonly isBlocked: (address: string) => boolean;
  /** The kind of a blocked address, such as "not public". */
  readonly blocked: string;
  /** Makes the error with which the connection fails. */
  readonly refusal: (why: string, options?: ErrorOptions) => Error;
}

const bySystem: Resolve = async (name) => lookup(name, { all: true });

/**
 * Resolves the name of a connection once, checks every address that it has, and fails if one of them is blocked: a second answer of
 * the name server changes nothing.
 */
export function checkedLookup(rules: LookupRules): LookupFunction {
  return (name, options, callback) => {
    const answer = async (): Promise<void> => {
      const found = await checkedAddresses(name, rules);
      if (found instanceof Error) callback(found, "");
      else if (options.all === true) callback(null, [...found.all]);
      else callback(null, found.first.address, found.first.family);
    };
    void answer();
  };
}

/** Never rejects. */
async function checkedAddresses(
  name: string,
  { resolve = bySystem, isBlocked, blocked, refusal }: LookupRules,
): Promise<{ readonly first: LookupAddress; readonly all: readonly LookupAddress[] } | Error> {
  try {
    const all = await resolve(name);
    const [first] = all;
    const wrong = all.find(({ address }) => isBlocked(address));
    if (wrong !== undefined) return refusal(`${name} has the address ${wrong.address}, which is ${blocked}`);
    return first === undefined ? refusal(`${name} has no address`) : { first, all };
  } catch (error) {
    return refusal(`${name} cannot be resolved`, { cause: error });
  }
}
