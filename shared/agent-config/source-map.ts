import type { Place } from "#shared/agent-config/config-problem.ts";
import type { ExpandedText } from "#shared/agent-config/expanded-text.ts";

/** A mapping or list of a file, by identity. */
interface Container {
  readonly path: string;
  readonly text: ExpandedText;
  /** Offset of its key, or of its first character where it has none. */
  readonly start: number;
  readonly children: Map<string | number, Child>;
}

/** Where a value stands; offsets into the expanded text. */
export interface Child {
  /** Its key, or its index in the file even if others before it were taken out since. */
  readonly segment: string | number;
  readonly start: number;
  readonly end: number;
  readonly kind: "scalar" | "mapping" | "list";
}

/** What stands at a place, as written. */
export interface Written extends Place {
  readonly path: string;
  /** Absent where nothing is written. */
  readonly kind?: Child["kind"];
  /** Of a scalar only. */
  readonly text?: string;
  readonly variables: readonly string[];
  /** It contains a template that was not understood and has been reported. */
  readonly broken: boolean;
}

/** Remembers for every mapping and list read from a file where it and its values were written. */
export class SourceMap {
  readonly #containers = new WeakMap<object, Container>();

  /** Registers what was read from `text` at offset `start`. */
  add(container: object, path: string, text: ExpandedText, start: number): void {
    this.#containers.set(container, { path, text, start, children: new Map() });
  }

  /** Registers where the value under `key` stands. */
  addChild(container: object, key: string | number, child: Child): void {
    this.#containers.get(container)?.children.set(key, child);
  }

  /** Forgets where a value stands that counts as not set. */
  removeChild(container: object, key: string): void {
    this.#containers.get(container)?.children.delete(key);
  }

  /** Takes a value out of a list and moves the later ones up; their paths stay those of the file. */
  removeIndex(list: unknown[], index: number): void {
    list.splice(index, 1);
    const children = this.#containers.get(list)?.children;
    if (children === undefined) return;
    const kept = [...children.values()].toSpliced(index, 1);
    children.clear();
    kept.forEach((child, at) => children.set(at, child));
  }

  /** True for what came from a file, false for built-ins. */
  has(container: object): boolean {
    return this.#containers.has(container);
  }

  /** True if something is written there, be it wrong. */
  hasChild(container: object, key: string | number): boolean {
    return this.#containers.get(container)?.children.has(key) ?? false;
  }

  /** The keys written in a mapping, wrong values included. */
  keys(container: object): string[] {
    return [...(this.#containers.get(container)?.children.keys() ?? [])].map(String);
  }

  /** A value's place; the container's own without a key, or where the value is missing. Undefined for built-ins. */
  find(container: object, key?: string | number): Written | undefined {
    const known = this.#containers.get(container);
    if (known === undefined) return undefined;
    const { text } = known;
    const child = key === undefined ? undefined : known.children.get(key);
    const segment = child?.segment ?? key;
    const path = segment === undefined ? known.path : joinPath(known.path, segment);
    if (child === undefined) return { path, ...text.placeOf(known.start), variables: [], broken: false };
    const isScalar = child.kind === "scalar";
    return {
      path,
      ...text.placeOf(child.start),
      kind: child.kind,
      ...(isScalar ? { text: text.writtenAt(child.start, child.end) } : {}),
      variables: isScalar ? text.variablesIn(child.start, child.end) : [],
      broken: isScalar && text.isBroken(child.start, child.end),
    };
  }
}

/** Appends a key or index: `a.b`, `a[0]`, `a["odd key"]`. */
export function joinPath(path: string, segment: string | number): string {
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (!/^[\w-]+$/u.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
  return path === "" ? segment : `${path}.${segment}`;
}
