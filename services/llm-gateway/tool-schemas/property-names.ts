import { createHash } from "node:crypto";
import type { SchemaNode } from "./schema-node.ts";

const HASH_LENGTH = 6;

/** Which names of properties an API accepts. */
export interface PropertyNameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

/**
 * The names in a schema that an API refuses, with names that it accepts. Within one tool each name stands for one
 * original only, and no replacement is also a name of the tool's own. The same schema gets the same names everywhere.
 */
export function replacedNames(root: SchemaNode, rule: PropertyNameRule): ReadonlyMap<string, string> {
  const names = new Set<string>();
  collectNames(root, names);
  const isGood = (name: string) =>
    name !== "__proto__" && name !== "" && name.length <= rule.maxLength && rule.pattern.test(name);
  const taken = new Set([...names].filter(isGood));
  const replaced = new Map<string, string>();
  for (const name of names) {
    if (isGood(name)) continue;
    const readable = readableName(name);
    const short = readable.slice(0, rule.maxLength);
    const hash = createHash("sha256").update(name).digest("hex");
    const hashed = (length: number) =>
      `${readable.slice(0, rule.maxLength - length - 1)}_${hash.slice(0, length)}`;
    const candidates = [short, hashed(HASH_LENGTH), hashed(2 * HASH_LENGTH), hashed(4 * HASH_LENGTH)];
    const free = candidates.find((candidate) => isGood(candidate) && !taken.has(candidate));
    if (free === undefined) continue;
    taken.add(free);
    replaced.set(name, free);
  }
  return replaced;
}

/** Letters, digits and underscores for the longest part of a name that has any. */
function readableName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "");
  if (plain === "") return "argument";
  return /^[A-Za-z]/u.test(plain) ? plain : `_${plain}`;
}

function collectNames(node: SchemaNode, names: Set<string>): void {
  for (const [name, property] of node.properties) {
    names.add(name);
    collectNames(property, names);
  }
  const others = [node.additional, node.items, ...(node.prefix ?? []), ...(node.anyOf ?? [])];
  for (const other of others) if (other !== undefined) collectNames(other, names);
}
