import { parseJson } from "../parse-json.ts";
import type { ArgumentNames } from "./argument-names.ts";

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

/** Where a value ends, and up to where its text is in the pieces. */
interface Progress {
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

  value(start: number, names: ArgumentNames | undefined): Progress {
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

  /** After a comma, or at the closing bracket. */
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
