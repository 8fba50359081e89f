import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import type { AliasTargets } from "#shared/agent-config/resolve-aliases.ts";

/** One key of a mapping with its value, as nodes. */
export interface MapEntry {
  readonly key: string;
  readonly keyNode: Scalar;
  readonly valueNode: Node | null;
}

/**
 * The entries of a mapping in order, its own first, then those of `<<` that it does not have itself.
 * Calls `refuse` for a key that is no name or comes twice.
 */
export function readMapEntries(
  node: YAMLMap,
  aliases: AliasTargets,
  refuse: (node: Node, key: string | undefined, message: string) => void,
): MapEntry[] {
  const entries = new Map<string, MapEntry>();
  const merged: Node[] = [];
  for (const pair of node.items) {
    const keyNode = asNode(pair.key, aliases);
    const valueNode = asNode(pair.value);
    if (!isScalar(keyNode)) {
      refuse(keyNode ?? node, undefined, "a key must be a name");
      continue;
    }
    if (isMergeKey(keyNode)) {
      if (valueNode !== null) merged.push(valueNode);
      continue;
    }
    const key = keyText(keyNode);
    const earlier = entries.get(key);
    if (key === "" || /[\p{Cc}\u2028\u2029]/u.test(key)) {
      refuse(keyNode, undefined, "a key must be a non-empty name on one line");
    } else if (earlier !== undefined) {
      refuse(keyNode, key, "the key is given twice; remove one");
    } else {
      entries.set(key, { key, keyNode, valueNode });
    }
  }
  for (const source of merged) addMerged(source, entries, aliases, refuse);
  return [...entries.values()];
}

function addMerged(
  source: Node,
  entries: Map<string, MapEntry>,
  aliases: AliasTargets,
  refuse: (node: Node, key: string | undefined, message: string) => void,
): void {
  const target = asNode(source, aliases);
  if (isMap(target)) {
    for (const entry of readMapEntries(target, aliases, refuse)) {
      if (!entries.has(entry.key)) entries.set(entry.key, entry);
    }
    return;
  }
  if (isSeq(target)) {
    for (const item of target.items) {
      const inner = asNode(item, aliases);
      if (isMap(inner)) addMerged(inner, entries, aliases, refuse);
      else refuse(target, undefined, "<< must name mappings");
    }
    return;
  }
  refuse(source, undefined, "<< must name a mapping");
}

function asNode(value: unknown, aliases?: AliasTargets): Node | null {
  if (isAlias(value)) return aliases === undefined ? value : (aliases.get(value) ?? value);
  return isMap(value) || isSeq(value) || isScalar(value) ? value : null;
}

function isMergeKey(key: Scalar): boolean {
  return (
    typeof key.value === "symbol" || (key.value === "<<" && (key.type === undefined || key.type === "PLAIN"))
  );
}

function keyText(key: Scalar): string {
  if (typeof key.value === "string") return key.value;
  return key.source ?? "";
}
