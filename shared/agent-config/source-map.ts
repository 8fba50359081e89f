import type { FilePosition } from "#shared/agent-config/config-problem.ts";
import type { ExpandedText, InsertedVariables } from "#shared/agent-config/expand-templates.ts";

/** A mapping or list of a file, by identity. */
interface SourceContainer {
  readonly path: string;
  readonly text: ExpandedText;
  /** Offset of its key, or of its first character where it has no key. */
  readonly start: number;
  readonly children: Map<string | number, SourceChild>;
}

/** The range of a value; offsets into the expanded text. */
interface SourceChild {
  readonly start: number;
  readonly end: number;
  readonly kind: "scalar" | "mapping" | "list";
  /** The value could not be read, and that has been reported. */
  readonly broken: boolean;
}

/** A value, or a missing one, as the file has it. */
export interface WrittenValue extends FilePosition, InsertedVariables {
  readonly path: string;
  /** Absent where nothing is written. */
  readonly kind?: SourceChild["kind"];
  /** Only a scalar has it. */
  readonly text?: string;
}

/** The positions of all values read from the files, by the mapping or list that contains them. */
export class SourceMap {
  readonly #containers = new WeakMap<object, SourceContainer>();

  /** Registers a mapping or list read from `text` at offset `start`. */
  add(container: object, path: string, text: ExpandedText, start: number): void {
    this.#containers.set(container, { path, text, start, children: new Map() });
  }

  /** Registers the value under `key`. */
  addChild(container: object, key: string | number, child: SourceChild): void {
    this.#containers.get(container)?.children.set(key, child);
  }

  /** Forgets a value that counts as not set. */
  removeChild(container: object, key: string): void {
    this.#containers.get(container)?.children.delete(key);
  }

  /** True for what came from a file, false for built-ins. */
  has(container: object): boolean {
    return this.#containers.has(container);
  }

  /** True if a value is written there, whether right or wrong. */
  hasChild(container: object, key: string | number): boolean {
    return this.#containers.get(container)?.children.has(key) ?? false;
  }

  /** The keys written in a mapping, those of wrong values included. */
  keys(container: object): string[] {
    return [...(this.#containers.get(container)?.children.keys() ?? [])].map(String);
  }

  /**
   * A value of a container. Without a key, or where the value is missing, the position is the container's own.
   * Undefined for built-ins.
   */
  find(container: object, key?: string | number): WrittenValue | undefined {
    const known = this.#containers.get(container);
    if (known === undefined) return undefined;
    const { text, start } = known;
    const path = key === undefined ? known.path : joinPath(known.path, key);
    const child = key === undefined ? undefined : known.children.get(key);
    if (child === undefined) return { path, ...text.positionOf(start), variables: [], broken: false };
    const { kind, broken } = child;
    const written = { path, ...text.positionOf(child.start), kind, broken };
    if (kind !== "scalar") return { ...written, variables: [] };
    const { variables } = text.insertedAt(child.start, child.end);
    return { ...written, variables, text: text.writtenAt(child.start, child.end) };
  }
}

/** Appends a key or index: `a.b`, `a[0]`, `a["odd key"]`. */
export function joinPath(path: string, segment: string | number): string {
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (!/^[\w-]+$/u.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
  return path === "" ? segment : `${path}.${segment}`;
}
