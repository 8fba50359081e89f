import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { Edits } from "#shared/masking/structure/edits.ts";
import {
  escapeString,
  DATA,
  fieldName,
  isSecret,
  looksEncoded,
  newFrame,
  noteField,
  shortText,
  unescapeString,
  VALUE_FIELDS,
  type JsonFrame,
  type Leaf,
} from "#shared/masking/structure/json-frames.ts";
import { isHeldSecret } from "#shared/masking/structure/secret-holders.ts";
import { secretMembers } from "#shared/masking/structure/secret-members.ts";
import { NO_DATA } from "#shared/masking/structure/secret-objects.ts";
import { readJsonToken, type JsonToken } from "#shared/masking/structure/json-tokens.ts";

/** Masks the text that a string of JSON stands for. */
type MaskInner = (text: string) => string;

/** The parts that a text may lack which begins in the middle of an object. */
const HEADS = ["{", '{"data":{', '{"data":{"', '{"data":{"x":"'];
const NAMES_SECRET =
  /["']?(?:kind|type)["']?\s{0,3}:\s{0,3}["']?(?:\\u0053|S)ecret|["']?type["']?\s{0,3}:\s{0,3}["']?(?:Opaque|kubernetes\.io\/)/iu;
const FLAG = /^--?([A-Za-z][\w-]{1,60})$/u;

/**
 * Masks JSON anywhere in a text, also if it is cut off, in lines, or only resembles JSON: the values of Kubernetes
 * Secrets, and those whose key looks secret. Keys, layout and everything else stay. Takes time proportional to the text.
 */
export function maskJson(text: string, context: MaskContext, maskInner: MaskInner): string {
  if (!/[{}[\]]/u.test(text)) return text;
  // The missing parts are put before a text that begins in the middle of a Secret.
  const heads = text.includes("}") && !/^\s*[{[]/u.test(text) && NAMES_SECRET.test(text) ? HEADS : [];
  for (const head of heads) {
    const masked = new JsonMasker(head + text, context, maskInner).runFrom(head.length);
    if (masked !== undefined) return masked;
  }
  return new JsonMasker(text, context, maskInner).run(0);
}

class JsonMasker {
  readonly #text: string;
  readonly #context: MaskContext;
  readonly #maskInner: MaskInner;
  readonly #edits = new Edits();
  readonly #stack: JsonFrame[] = [];
  /** The leaves below `data` of objects whose kind is not known yet. */
  readonly #leaves: Leaf[] = [];
  #apostrophesBefore = 0;
  /** A text stopped being JSON before an end. */
  #isRefused = false;

  constructor(text: string, context: MaskContext, maskInner: MaskInner) {
    this.#text = text;
    this.#context = context;
    this.#maskInner = maskInner;
  }

  /** Masks what follows the head, if the head and it are JSON together. */
  runFrom(head: number): string | undefined {
    const end = this.#readIsland(0);
    // A key behind the end belongs to an object around it.
    const goesOn = /^\s{0,100},\s{0,100}["'\w]/u.test(this.#text.slice(end, end + 202));
    return this.#isRefused || goesOn || end <= head ? undefined : this.run(end).slice(head);
  }

  run(from: number): string {
    const opening = /[{[]/g;
    for (let at = from; ;) {
      opening.lastIndex = at;
      const found = opening.exec(this.#text);
      if (found === null) return this.#edits.applyTo(this.#text);
      const isReference = /^\$\{\w/u.test(this.#text.slice(Math.max(0, found.index - 1), found.index + 2));
      at = isReference ? found.index + 1 : this.#readIsland(found.index);
    }
  }

  /** Reads from an opening bracket up to its closing one, or to what cannot be JSON; returns where to go on. */
  #readIsland(start: number): number {
    for (let at = start; ;) {
      this.#context.step();
      const frame = this.#stack.at(-1);
      const expected = frame?.state === "key" ? "key" : "value";
      const token = readJsonToken(this.#text, at, expected, this.#apostrophesBefore);
      if (token === undefined) return this.#breakOff(this.#text.length);
      const isAccepted = this.#accept(token, frame);
      this.#isRefused ||= !isAccepted || (!token.isClosed && token.next < this.#text.length);
      if (!token.isClosed) return this.#breakOff(this.#afterUnclosed(token));
      if (!isAccepted) return this.#breakOff(Math.max(token.start, start + 1));
      at = token.next;
      if (this.#stack.length === 0) return at;
    }
  }

  /** Single quotes are apostrophes in the rest of such a line. No part of the text is read as a string again and again. */
  #afterUnclosed({ quote, start, next }: JsonToken): number {
    if (quote !== "'") return next;
    this.#apostrophesBefore = next;
    return start;
  }

  /** False if no JSON has this token here. */
  #accept(token: JsonToken, frame: JsonFrame | undefined): boolean {
    switch (token.type) {
      case "{":
      case "[":
        return this.#open(token.type === "{", frame);
      case "}":
      case "]":
        if (frame === undefined || frame.isObject !== (token.type === "}")) return false;
        this.#close(frame, false);
        return true;
      case ":":
        if (frame?.state !== "colon") return false;
        frame.state = "value";
        return true;
      case ",":
        // One too many is no reason to stop.
        if (frame === undefined || frame.state === "colon" || (frame.isObject && frame.state === "value")) {
          return false;
        }
        frame.state = frame.isObject ? "key" : "value";
        return true;
      default:
        return frame !== undefined && this.#acceptScalar(token, frame);
    }
  }

  #open(isObject: boolean, outer: JsonFrame | undefined): boolean {
    if (outer !== undefined && outer.state !== "value") return false;
    if (outer !== undefined) {
      outer.state = "comma";
      outer.index += 1;
      outer.hasData ||= isObject && outer.isObject && DATA.has(fieldName(outer.key));
    }
    this.#stack.push(newFrame(isObject, outer, this.#leaves.length));
    return true;
  }

  #acceptScalar(token: JsonToken, frame: JsonFrame): boolean {
    const raw = this.#text.slice(token.start, token.end);
    if (frame.state === "key") {
      if (!token.isClosed) return false;
      frame.key = raw.includes("\\u") ? shortText(raw, token.quote) : raw;
      frame.state = "colon";
      return true;
    }
    if (frame.state !== "value") return false;
    frame.state = "comma";
    const leaf = { token, value: raw, kind: this.#kindOf(frame, raw), isMasked: false };
    if (frame.isObject) noteField(frame, leaf);
    frame.names?.push(raw);
    frame.index += 1;
    if (frame.inData) this.#leaves.push(leaf);
    else if (leaf.kind !== undefined) this.#replace(leaf, leaf.kind);
    if (leaf.kind === undefined) this.#maskInside(leaf);
    frame.previous = raw;
    return true;
  }

  #kindOf(frame: JsonFrame, raw: string): SecretKind | undefined {
    const kind =
      secretNameKind(frame.key) ??
      (frame.isRows ? undefined : frame.columns?.[frame.index]) ??
      (frame.holdsKey && fieldName(frame.key) === "key" ? "SECRET_KEY" : undefined) ??
      (frame.outerKind !== undefined && VALUE_FIELDS.has(fieldName(frame.key)) ? frame.outerKind : undefined);
    // `Some(` of a struct is read up to its quote.
    if (kind !== undefined && !isHarmlessValue(raw, kind) && !/^\w+\($/u.test(raw)) return kind;
    const { heldDepth } = frame;
    const isHeld = heldDepth !== undefined && heldDepth > 0 && isHeldSecret(frame.key, raw, heldDepth > 1);
    if (isHeld) return "SECRET";
    const flag = frame.isObject ? undefined : FLAG.exec(frame.previous)?.[1];
    return flag === undefined || raw.startsWith("-") ? undefined : secretNameKind(flag);
  }

  /** JSON, YAML or other text in a string. */
  #maskInside({ token, value }: Leaf): void {
    if (token.type !== "string" || !value.includes("\\")) return;
    const text = unescapeString(value, token.quote);
    const masked = this.#maskInner(text);
    if (masked !== text) this.#edits.set(token.start, token.end, escapeString(masked, token.quote));
  }

  #replace(leaf: Leaf, kind: string): void {
    if (leaf.isMasked) return;
    leaf.isMasked = true;
    const { token, value } = leaf;
    const { type, start, end, quote } = token;
    const text = type === "string" ? unescapeString(value, quote) : value;
    if (kind === "SECRET_DATA" && NO_DATA.test(text)) return;
    const placeholder = this.#context.mask(text, kind);
    this.#edits.set(start, end, type === "string" ? placeholder : `"${placeholder}"`);
  }

  #close(frame: JsonFrame, isCutOff: boolean): void {
    this.#stack.pop();
    const outer = this.#stack.at(-1);
    if (frame.names !== undefined && outer !== undefined) {
      const kinds = frame.names.map(secretNameKind);
      if (kinds.some((one) => one !== undefined)) outer.columns = kinds;
    }
    const { name, namedValue, type } = frame;
    if (name !== undefined) outer?.names?.push(name);
    const named = name === undefined ? undefined : secretNameKind(name);
    const kind = type === "SecureString" ? "SECRET" : named;
    if (kind !== undefined && namedValue !== undefined && !isHarmlessValue(namedValue.value, kind)) {
      this.#replace(namedValue, kind);
    }
    this.#maskMembers(frame, outer);
    const verdict = isSecret(frame, isCutOff);
    const count = verdict === "no" ? 0 : this.#leaves.length;
    for (let index = frame.firstLeaf; index < count; index += 1) {
      const leaf = this.#leaves[index];
      if (leaf !== undefined && (verdict === "yes" || looksEncoded(leaf))) this.#replace(leaf, "SECRET_DATA");
    }
    const isUndecided = frame.inData || frame.kind === undefined;
    if (!isUndecided || this.#stack.length === 0) this.#decide(frame.firstLeaf);
  }

  /** Masks the fields that those beside them mark as secrets. */
  #maskMembers({ telling }: JsonFrame, outer: JsonFrame | undefined): void {
    if (telling === undefined) return;
    const fields = new Map([...telling].map(([name, { value }]) => [name, value]));
    for (const name of secretMembers(fields, outer?.key === "oth")) {
      const leaf = telling.get(name);
      if (leaf !== undefined && !isHarmlessValue(leaf.value, "SECRET")) this.#replace(leaf, "SECRET");
    }
  }

  /** The leaves from here on belong to no Secret. */
  #decide(firstLeaf: number): void {
    for (let index = firstLeaf; index < this.#leaves.length; index += 1) {
      const leaf = this.#leaves[index];
      if (leaf?.kind !== undefined) this.#replace(leaf, leaf.kind);
    }
    this.#leaves.length = firstLeaf;
  }

  /** Ends all open objects and arrays where the text ends or stops being JSON. */
  #breakOff(at: number): number {
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      this.#close(frame, true);
    }
    return at;
  }
}
