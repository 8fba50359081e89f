import { LRUCache } from "lru-cache";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { readConfig } from "#shared/database/resolved-configs.ts";
import { TerminalError } from "#shared/errors.ts";

/** In characters of JSON, of which each takes some bytes of memory. */
const MAX_REMEMBERED = 4_000_000;

/** The hash says all that is in it, so each is read and checked once by a process. */
const parsed = new LRUCache<string, ResolvedChain>({ maxSize: MAX_REMEMBERED });

/**
 * The chain that sessions with this hash run. Throws TerminalError `malformed` if it is missing, what `parseResolvedChain` throws, and database
 * errors.
 */
export async function storedChainOf(db: Queryable, hash: string): Promise<ResolvedChain> {
  const known = parsed.get(hash);
  if (known !== undefined) return known;
  const config = await readConfig(db, hash);
  if (config === null) throw new TerminalError("malformed", `the session's configuration ${hash} is missing`);
  const chain = parseResolvedChain(config);
  parsed.set(hash, chain, { size: JSON.stringify(config).length });
  return chain;
}
