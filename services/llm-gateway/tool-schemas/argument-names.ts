import { createHash } from "node:crypto";
import type { SchemaNode } from "./schema-node.ts";
import { parseJson } from "../parse-json.ts";

/**
 * The positions of a tool's arguments whose names are replaced for its API. Only these places are renamed: the keys of free
 * data are left as they are.
 */
export interface ArgumentNames {
  /** Keyed by the API's name; the value has the tool's own name and the names inside. */
  readonly properties: ReadonlyMap<
    string,
    { readonly name: string; readonly inside: ArgumentNames | undefined }
  >;
  /** Inside of properties that the schema does not name. */
  readonly others: ArgumentNames | undefined;
  /** Inside of the first elements of an array. */
  readonly first: readonly (ArgumentNames | undefined)[];
  /** Inside of its other elements. */
  readonly elements: ArgumentNames | undefined;
}

/** Joins the names of alternatives; undefined if nothing is renamed. */
export function joinNames(parts: readonly (ArgumentNames | undefined)[]): ArgumentNames | undefined {
  return parts.reduce((all, part) => {
    if (all === undefined || part === undefined) return all ?? part;
    const properties = new Map(all.properties);
    for (const [name, { name: own, inside }] of part.properties) {
      properties.set(name, { name: own, inside: joinNames([properties.get(name)?.inside, inside]) });
    }
    const length = Math.max(all.first.length, part.first.length);
    return {
      properties,
      others: joinNames([all.others, part.others]),
      first: Array.from({ length }, (_, index) =>
        joinNames([all.first[index] ?? all.elements, part.first[index] ?? part.elements]),
      ),
      elements: joinNames([all.elements, part.elements]),
    };
  }, undefined);
}

/** The same places, with the names the other way round. */
export function invertNames(names: ArgumentNames | undefined): ArgumentNames | undefined {
  if (names === undefined) return undefined;
  return {
    properties: new Map(
      [...names.properties].map(([name, { name: own, inside }]) => [
        own,
        { name, inside: invertNames(inside) },
      ]),
    ),
    others: invertNames(names.others),
    first: names.first.map(invertNames),
    elements: invertNames(names.elements),
  };
}

const HASH_LENGTH = 6;

/** The names of properties that an API accepts. */
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

/**
 * JSON text with the names of properties replaced at these places. Everything else stays as it is, byte for byte: numbers
 * keep their digits. Text that is no JSON, or nested more than 200 levels deep, is returned unchanged.
 */
export function renameArguments(json: string, names: ArgumentNames | undefined): string {
  if (names === undefined || parseJson(json) === undefined) return json;
  const pieces: string[] = [];
  const end = new Scanner(json, pieces).value(0, names);
  pieces.push(json.slice(end.copied));
  return pieces.join("");
}

/** The end of a value, and the end of its text that is in the pieces. */
interface ValueEnd {
  readonly end: number;
  readonly copied: number;
}

/** Walks through text that is known to be JSON. */
class Scanner {
  readonly #json: string;
  readonly #pieces: string[];
  #copied = 0;

  constructor(json: string, pieces: string[]) {
    this.#json = json;
    this.#pieces = pieces;
  }

  value(start: number, names: ArgumentNames | undefined): ValueEnd {
    const at = this.#skipSpace(start);
    const end = this.#end(at, names);
    return { end, copied: this.#copied };
  }

  #end(at: number, names: ArgumentNames | undefined): number {
    switch (this.#json[at]) {
      case "{":
        return this.#object(at + 1, names);
      case "[":
        return this.#array(at + 1, names);
      case '"':
        return this.#string(at);
      default: {
        const rest = /[\s,\]}]/gu;
        rest.lastIndex = at;
        return rest.exec(this.#json)?.index ?? this.#json.length;
      }
    }
  }

  #object(start: number, names: ArgumentNames | undefined): number {
    let at = this.#skipSpace(start);
    while (this.#json[at] !== "}") {
      const keyEnd = this.#string(at);
      const key: unknown = JSON.parse(this.#json.slice(at, keyEnd));
      const known = typeof key === "string" ? names?.properties.get(key) : undefined;
      if (known !== undefined && known.name !== key) {
        this.#pieces.push(this.#json.slice(this.#copied, at), JSON.stringify(known.name));
        this.#copied = keyEnd;
      }
      const colon = this.#skipSpace(keyEnd);
      const { end } = this.value(colon + 1, known === undefined ? names?.others : known.inside);
      at = this.#next(end);
    }
    return at + 1;
  }

  #array(start: number, names: ArgumentNames | undefined): number {
    let at = this.#skipSpace(start);
    for (let index = 0; this.#json[at] !== "]"; index += 1) {
      const inside = names !== undefined && index < names.first.length ? names.first[index] : names?.elements;
      at = this.#next(this.value(at, inside).end);
    }
    return at + 1;
  }

  /** The offset after a comma, or at the closing bracket. */
  #next(at: number): number {
    const after = this.#skipSpace(at);
    return this.#json[after] === "," ? this.#skipSpace(after + 1) : after;
  }

  #string(start: number): number {
    let at = start + 1;
    while (this.#json[at] !== '"') at += this.#json[at] === "\\" ? 2 : 1;
    return at + 1;
  }

  #skipSpace(start: number): number {
    let at = start;
    while (/\s/u.test(this.#json[at] ?? "")) at += 1;
    return at;
  }
}
