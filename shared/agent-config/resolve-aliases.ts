import { isAlias, isCollection, isPair, type Alias, type Node } from "yaml";

/** The node each alias stands for. */
export type AliasTargets = ReadonlyMap<Alias, Node>;

/** Values a file may come to with its aliases written out. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

class AliasProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Finds the target of every alias in one pass, in document order, so that a chain of aliases costs no more
 * than its text however much it would expand to. Calls `refuse` and returns undefined for an unknown anchor,
 * a cycle, too deep a nesting, or an expansion beyond the limit.
 */
export function resolveAliases(
  root: Node | null,
  refuse: (message: string, offset: number) => undefined,
): AliasTargets | undefined {
  const anchors = new Map<string, { node: Node; size: number | undefined }>();
  const targets = new Map<Alias, Node>();
  const measure = (node: unknown, depth: number): number => {
    if (isPair(node)) return measure(node.key, depth) + measure(node.value, depth);
    if (isAlias(node)) return measureAlias(node);
    if (!isCollection(node)) {
      remember(node, 1);
      return 1;
    }
    const start = node.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) throw new AliasProblem(`is nested deeper than ${MAX_DEPTH} levels`, start);
    remember(node, undefined);
    let size = 1;
    for (const item of node.items) size += measure(item, depth + 1);
    remember(node, size);
    return within(size, start);
  };
  const remember = (node: unknown, size: number | undefined) => {
    if (isAnchored(node)) anchors.set(node.anchor, { node, size });
  };
  const measureAlias = (alias: Alias): number => {
    const start = alias.range?.[0] ?? 0;
    const anchor = anchors.get(alias.source);
    const name = `the alias *${alias.source}`;
    if (anchor === undefined) throw new AliasProblem(`${name} has no anchor before it`, start);
    if (anchor.size === undefined) throw new AliasProblem(`${name} contains itself`, start);
    targets.set(alias, anchor.node);
    return within(anchor.size, start);
  };
  try {
    within(measure(root, 0), 0);
    return targets;
  } catch (error) {
    if (error instanceof AliasProblem) return refuse(error.message, error.offset);
    throw error;
  }
}

function within(size: number, offset: number): number {
  if (size <= MAX_VALUES) return size;
  throw new AliasProblem(`the aliases expand to more than ${MAX_VALUES} values`, offset);
}

function isAnchored(node: unknown): node is Node & { anchor: string } {
  return typeof node === "object" && node !== null && "anchor" in node && typeof node.anchor === "string";
}
