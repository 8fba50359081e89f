import type { Place } from "#shared/agent-config/config-problem.ts";
import type { ExpandedText } from "#shared/agent-config/expand-templates.ts";

/** A mapping or list of a file, by identity. */
interface Container {
  readonly path: string;
  readonly text: ExpandedText;
  /** Offset of its key, or of its first character where it has none. */
  readonly start: number;
  readonly children: Map<string | number, Child>;
}

/** Offsets into the expanded text. */
export interface Child {
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
  readonly scalar: boolean;
}

/** What stands at a place, as written. */
export interface Written extends Place {
  readonly path: string;
  /** Absent for mappings, lists and what is missing. */
  readonly text?: string;
  readonly variables: readonly string[];
}

/** Remembers for every mapping and list read from a file where it and its values were written. */
export class SourceMap {
  readonly #containers = new WeakMap<object, Container>();
  /** The index in the file of what has moved up in its list since. */
  readonly #segments = new WeakMap<Child, string | number>();

  /** Registers what was read from `text` at offset `start`. */
  add(container: object, path: string, text: ExpandedText, start: number): void {
    this.#containers.set(container, { path, text, start, children: new Map() });
  }

  /** Registers where one of its values stands. */
  addChild(container: object, key: string | number, child: Child): void {
    this.#containers.get(container)?.children.set(key, child);
  }

  /** Forgets where a value stands that counts as not set. */
  removeChild(container: object, key: string): void {
    this.#containers.get(container)?.children.delete(key);
  }

  /** Forgets a list's value and moves the later ones up, while their paths stay those of the file. */
  removeIndex(container: unknown[], index: number): void {
    container.splice(index, 1);
    const known = this.#containers.get(container);
    if (known === undefined) return;
    const children = [...known.children.values()];
    const paths = children.map((child, at) => this.#segments.get(child) ?? at);
    children.splice(index, 1);
    paths.splice(index, 1);
    known.children.clear();
    children.forEach((child, at) => {
      known.children.set(at, child);
      this.#segments.set(child, paths[at] ?? at);
    });
  }

  /** True for what came from a file, false for built-ins. */
  has(container: object): boolean {
    return this.#containers.has(container);
  }

  /** True if the value is written out there. */
  hasChild(container: object, key: string | number): boolean {
    return this.#containers.get(container)?.children.has(key) ?? false;
  }

  /** A value's place; the container's own without a key, or where the value is missing. Undefined for built-ins. */
  find(container: object, key?: string | number): Written | undefined {
    const known = this.#containers.get(container);
    if (known === undefined) return undefined;
    const child = key === undefined ? undefined : known.children.get(key);
    const segment = child === undefined ? key : (this.#segments.get(child) ?? key);
    const path = segment === undefined ? known.path : joinPath(known.path, segment);
    if (child === undefined) return { path, ...known.text.placeOf(known.start), variables: [] };
    return {
      path,
      ...known.text.placeOf(child.start),
      ...(child.scalar ? { text: known.text.writtenAt(child.start, child.end) } : {}),
      variables: child.scalar ? known.text.variablesIn(child.start, child.end) : [],
    };
  }

  /** The place of a value's key. */
  findKey(container: object, key: string): Place | undefined {
    const known = this.#containers.get(container);
    return known?.text.placeOf(known.children.get(key)?.keyStart ?? known.start);
  }
}

/** Appends a key or index: `a.b`, `a[0]`, `a["odd key"]`. */
export function joinPath(path: string, segment: string | number): string {
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (!/^[\w-]+$/u.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
  return path === "" ? segment : `${path}.${segment}`;
}
