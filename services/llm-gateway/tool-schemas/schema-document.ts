import { isObject } from "../parse-json.ts";

/** Where a document is if it does not say so itself. */
const ROOT_BASE = "tool-schema://root/";
/** How many values are searched for identifiers. */
const MAX_SEARCHED = 50_000;
const DEFINITION_PLACES = [["$defs"], ["definitions"], ["components", "schemas"]];

/** A schema and the address that its references are relative to. */
export interface SchemaPlace {
  readonly value: unknown;
  readonly base: string;
}

/** One tool's schema, in which references are looked up. */
export class SchemaDocument {
  readonly root: SchemaPlace;
  readonly #places = new Map<string, SchemaPlace>();

  constructor(value: unknown) {
    this.root = { value, base: baseOf(value, ROOT_BASE) };
    this.#places.set(ROOT_BASE, this.root);
    this.#findIdentifiers(value, ROOT_BASE);
  }

  /**
   * The schema that a reference at this base leads to; undefined if it is not in the document. A reference that leads
   * nowhere by the rules is also tried from the root, and as the bare name of a definition, as some servers write it.
   */
  resolve(ref: string, base: string): SchemaPlace | undefined {
    const [path = "", fragment = ""] = split(ref);
    const address = withoutFragment(path === "" ? base : absolute(path, base));
    const resource = this.#places.get(address);
    return (
      (resource === undefined ? undefined : this.#at(resource, fragment, address)) ??
      (path === "" ? this.#at(this.root, fragment, this.root.base) : this.#definition(path))
    );
  }

  #at(resource: SchemaPlace, fragment: string, address: string): SchemaPlace | undefined {
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#places.get(`${address}#${fragment}`);
    let place = resource;
    for (const step of fragment.slice(1).split("/")) {
      const value = member(place.value, unescapePointer(step));
      if (value === undefined) return undefined;
      place = { value, base: baseOf(value, place.base) };
    }
    return place;
  }

  #definition(name: string): SchemaPlace | undefined {
    for (const path of DEFINITION_PLACES) {
      const found = member(
        path.reduce((value: unknown, step) => member(value, step), this.root.value),
        name,
      );
      if (found !== undefined) return { value: found, base: this.root.base };
    }
    return undefined;
  }

  /** Notes where `$id`, `id`, `$anchor` and `$dynamicAnchor` are; the first of each counts. */
  #findIdentifiers(root: unknown, rootBase: string): void {
    const queue: SchemaPlace[] = [{ value: root, base: rootBase }];
    for (let index = 0; index < queue.length && index < MAX_SEARCHED; index += 1) {
      const place = queue[index];
      if (place === undefined || typeof place.value !== "object" || place.value === null) continue;
      const base = baseOf(place.value, place.base);
      if (isObject(place.value)) this.#addIdentifiers(place.value, place.base, base);
      for (const value of Object.values(place.value)) queue.push({ value, base });
    }
  }

  #addIdentifiers(value: Record<string, unknown>, outer: string, base: string): void {
    const add = (address: string) => {
      if (!this.#places.has(address)) this.#places.set(address, { value, base });
    };
    if (base !== outer) add(base);
    for (const key of ["$id", "id"]) {
      const id = value[key];
      if (typeof id === "string" && id.includes("#")) add(absolute(id, outer));
    }
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const anchor = value[key];
      if (typeof anchor === "string") add(`${base}#${anchor}`);
    }
  }
}

/** The address that references inside of `value` are relative to. */
export function baseOf(value: unknown, outer: string): string {
  if (!isObject(value)) return outer;
  const id = value["$id"] ?? value["id"];
  if (typeof id !== "string" || id === "" || id.startsWith("#")) return outer;
  return withoutFragment(absolute(id, outer));
}

function absolute(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}

function split(ref: string): readonly string[] {
  const hash = ref.indexOf("#");
  if (hash === -1) return [ref, ""];
  return [ref.slice(0, hash), ref.slice(hash + 1)];
}

function withoutFragment(address: string): string {
  return split(address)[0] ?? address;
}

function member(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/u.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function unescapePointer(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
