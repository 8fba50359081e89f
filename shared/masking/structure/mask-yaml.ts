import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";
import { KeysAbove, VALUE_KEYS } from "#shared/masking/structure/keys-above.ts";
import { secretMembers, TELLING_FIELDS } from "#shared/masking/structure/secret-members.ts";
import { isSecretKind, isSecretType, NO_DATA } from "#shared/masking/structure/secret-objects.ts";
import {
  endOfFlow,
  newFrame,
  noteData,
  type YamlFrame,
  type Value,
} from "#shared/masking/structure/yaml-frames.ts";
import { Edits } from "#shared/masking/structure/edits.ts";
import { readYamlLine, type YamlLine } from "#shared/masking/structure/yaml-lines.ts";

const BLOCK_SCALAR = /^[|>][+-]?\d?[+-]?(?:\s+#.*)?$/u;
const COMMENT = /(?:^|\s+)#.*$/u;
const FLAG = /^--?([A-Za-z][\w-]{1,60})$/u;
const DATA = new Set(["data", "stringData", "Data", "StringData", "string_data"]);
const NAMES = new Set(["name", "Name", "key", "Key", "ParameterKey"]);
const FLOW_VALUE = /(:\s*|=\s*)("(?:[^"\\]|\\[^])*"?|'[^']*'?|[^\s,{}"'][^,{}\n]*)/gu;
/** The keys of an object at its own level: a text that begins in the data of a Secret goes on with one of them. */
const OWN_KEY = /^(?:kind|apiVersion|metadata|type|immutable):/u;
/** Behind a value in quotes: nothing, a comma or a comment. */
const AFTER_VALUE = /^[\s,]*(?:#|$)/u;
const MAX_REST = 200;
/** A longer text between quotes was hardly meant as one value. */
const MAX_QUOTED = 64 * 1024;
/** Lines of a text that may stand before it. */
const MAX_HEAD_LINES = 1_000;

/**
 * Masks YAML in block style anywhere in a text, line by line, also if it is cut off: the values of Kubernetes
 * Secrets and those whose key looks secret. Lines that are no YAML stay. Takes time proportional to the text.
 */
export function maskYaml(text: string, context: MaskContext): string {
  if (!text.includes(":")) return text;
  return new YamlMasker(text, context).run();
}

class YamlMasker {
  readonly #text: string;
  readonly #context: MaskContext;
  readonly #edits = new Edits();
  readonly #frames: YamlFrame[] = [];
  /** The first column is no part of the YAML in the output of diff. */
  readonly #isDiff: boolean;
  /** Lines deeper than this column belong to a block scalar whose key looks secret. */
  #block: { readonly column: number; readonly kind: string; value: Value | undefined } | undefined;
  #previousFlag: string | undefined;
  readonly #above = new KeysAbove();
  /** The end of the lines with which a text begins in the middle of an object, and these lines. */
  #headEnd = 0;
  #head: Value[] = [];
  /** A bracket that nothing closes; no other is searched for its end, for the time to stay linear. */
  #isFlowCutOff = false;
  /** Quotes without a partner up to the end of the text are not searched again. */
  readonly #unpaired = new Set<string>();
  /** The items of a SecretList need no kind of their own. */
  readonly #hasSecretList: boolean;

  constructor(text: string, context: MaskContext) {
    this.#text = text;
    this.#context = context;
    this.#hasSecretList = text.includes("SecretList");
    this.#isDiff = /^(?:@@ |diff )/mu.test(text);
  }

  run(): string {
    const { length } = this.#text;
    this.#readHead();
    for (let at = 0; at < length;) {
      const feed = this.#text.indexOf("\n", at);
      const end = feed === -1 ? length : feed;
      this.#context.step();
      const line = readYamlLine(this.#text, at, end, this.#isDiff);
      const next = this.#read(line);
      at = next > end ? next : end + 1;
    }
    this.#closeFrom(0);
    this.#endBlock();
    return this.#edits.applyTo(this.#text);
  }

  /** Finds the indented lines at the beginning, if a key of a whole object follows them at the first column. */
  #readHead(): void {
    const head = newFrame(0);
    head.dataColumn = -1;
    for (let at = 0, count = 0; at < this.#text.length && count < MAX_HEAD_LINES; count += 1) {
      const feed = this.#text.indexOf("\n", at);
      const end = feed === -1 ? this.#text.length : feed;
      const line = readYamlLine(this.#text, at, end, this.#isDiff);
      if (line.column === 0 && line.type !== "empty" && count > 0) {
        if (!OWN_KEY.test(this.#text.slice(line.start, line.start + 20))) return;
        this.#headEnd = at;
        this.#head = head.data;
        return;
      }
      if (line.type === "end") return;
      if (count === 0 && line.column === 0 && line.type === "key") return;
      if (line.type !== "empty") noteData(head, line);
      at = end + 1;
    }
  }

  /** Returns where to go on, if the value of the line has more lines. */
  #read(line: YamlLine): number {
    if (line.type === "empty") return 0;
    const { column } = line;
    if (this.#block !== undefined) {
      if (column > this.#block.column) {
        this.#block.value ??= { start: line.start, end: line.end };
        this.#block.value.end = line.end;
        return 0;
      }
      this.#endBlock();
    }
    const open = this.#frames.findLast(({ dataColumn }) => dataColumn !== undefined);
    const isBelowData = open?.dataColumn !== undefined && column > open.dataColumn;
    // Separators of documents, and comments, may be part of a value.
    if (isBelowData && (line.type === "end" || line.type === "comment")) {
      noteData(open, line);
      return 0;
    }
    if (line.type === "comment") return 0;
    if (line.type === "end") {
      this.#closeFrom(0);
      return 0;
    }
    this.#closeFrom(line.isItem ? column : column + 1);
    const data = this.#frames.findLast(({ dataColumn }) => dataColumn !== undefined);
    if (data?.dataColumn !== undefined) {
      if (line.column > data.dataColumn) {
        const isKey = noteData(data, line);
        return isKey ? this.#extend(data.data.at(-1), line) : 0;
      }
      data.dataColumn = undefined;
    }
    if (line.type === "key") return this.#readKey(line);
    this.#readText(line);
    return 0;
  }

  #readKey(line: YamlLine): number {
    const { keyColumn, key } = line;
    let frame = this.#frames.at(-1);
    if (
      frame === undefined ||
      frame.column < keyColumn ||
      (key === "apiVersion" && frame.apiVersion !== undefined)
    ) {
      if (frame?.column === keyColumn) this.#closeFrom(keyColumn);
      frame = newFrame(keyColumn);
      this.#frames.push(frame);
    }
    if (keyColumn === 0 && this.#head.length > 0 && line.start >= this.#headEnd) {
      frame.data.push(...this.#head.splice(0));
      frame.hasData = true;
    }
    const value = this.#text.slice(line.valueStart, line.valueEnd);
    if (DATA.has(key)) return this.#readData(frame, line, value);
    const range = { start: line.valueStart, end: line.valueEnd };
    if (key === "kind" || key === "Kind") frame.kind = value.replace(COMMENT, "");
    else if (key === "apiVersion") frame.apiVersion = value.replace(COMMENT, "");
    else if (key === "type") frame.type = value.replace(COMMENT, "");
    else if (NAMES.has(key)) frame.name ??= value;
    else if (VALUE_KEYS.has(key)) frame.namedValue = range;
    if (TELLING_FIELDS.has(key)) (frame.telling ??= new Map()).set(key, range);
    return this.#maskByKey(line, value, range);
  }

  #maskByKey({ keyColumn, key, ...line }: YamlLine, value: string, range: Value): number {
    const isEmpty = value === "" || value.startsWith("#");
    const kind = this.#above.kindOf(keyColumn, key, isEmpty ? "" : value);
    if (kind === undefined || isEmpty) return 0;
    if (BLOCK_SCALAR.test(value)) this.#block = { column: keyColumn, kind, value: undefined };
    else if (!isHarmlessValue(value, kind) && !/^[{[*]/u.test(value) && !isProse(key, value)) {
      const next = this.#extend(range, { keyColumn, key, ...line });
      this.#replace(range, kind);
      return next;
    }
    return 0;
  }

  /** Extends a value in quotes that its line does not close; returns where the text goes on. */
  #extend(value: Value | undefined, { valueStart, valueEnd, end }: YamlLine): number {
    const quote = this.#text[valueStart - 1];
    const isOpen = (quote === '"' || quote === "'") && valueEnd === end && this.#text[end] === "\n";
    if (value === undefined || !isOpen || this.#unpaired.has(quote)) return 0;
    for (let at = valueEnd; ; at += 1) {
      const char = this.#text[at];
      if (char === undefined) {
        this.#unpaired.add(quote);
        return 0;
      }
      if (char === "\\" && quote === '"') at += 1;
      else if (char === quote) {
        const feed = this.#text.indexOf("\n", at);
        const rest = this.#text.slice(at + 1, feed === -1 ? undefined : Math.min(feed, at + 1 + MAX_REST));
        if (at - valueStart > MAX_QUOTED || !AFTER_VALUE.test(rest)) return 0;
        value.end = at;
        return feed === -1 ? this.#text.length : feed + 1;
      }
    }
  }

  #readData(frame: YamlFrame, { keyColumn, valueStart, valueEnd }: YamlLine, value: string): number {
    frame.hasData = true;
    if (value === "" || value.startsWith("#") || value === "|" || value === ">") frame.dataColumn = keyColumn;
    else if (value.startsWith("{")) {
      const end = this.#isFlowCutOff ? undefined : endOfFlow(this.#text, valueStart);
      if (end === undefined) {
        this.#isFlowCutOff = true;
        frame.dataColumn = keyColumn;
        if (value !== "{") frame.data.push({ start: valueStart, end: valueEnd });
        return 0;
      }
      frame.data.push({ start: valueStart, end });
      const feed = this.#text.indexOf("\n", end);
      return feed === -1 ? this.#text.length : feed + 1;
    }
    return 0;
  }

  /** An item of a list without a key, as in the arguments of a command. */
  #readText(line: YamlLine): void {
    const value = this.#text.slice(line.valueStart, line.valueEnd);
    const kind = this.#previousFlag === undefined ? undefined : secretNameKind(this.#previousFlag);
    this.#previousFlag = line.isItem ? FLAG.exec(value)?.[1] : undefined;
    const range = { start: line.valueStart, end: line.valueEnd };
    if (kind !== undefined && line.isItem && !value.startsWith("-")) {
      this.#replace(range, kind);
      return;
    }
    const above = this.#above.kindOfText(line.column, line.isItem);
    const isValue = above !== undefined && !/^[{[]/u.test(value) && !isHarmlessValue(value, above);
    if (isValue && !/\s\S+\s/u.test(value)) this.#replace(range, above);
  }

  /** Closes the mappings whose keys stand at this column or further right. */
  #closeFrom(column: number): void {
    for (
      let frame = this.#frames.at(-1);
      frame !== undefined && frame.column >= column;
      frame = this.#frames.at(-1)
    ) {
      this.#frames.pop();
      this.#close(frame);
    }
  }

  /**
   * Kubernetes prints `data` before `kind`, and clients leave out the kind of a typed object: without a kind, the type or the
   * version says what it is.
   */
  #close(frame: YamlFrame): void {
    const { name, namedValue, kind, type, data } = frame;
    const nameKind = name === undefined ? undefined : secretNameKind(name);
    if (nameKind !== undefined && namedValue !== undefined) {
      const value = this.#text.slice(namedValue.start, namedValue.end);
      if (!isHarmlessValue(value, nameKind)) this.#replace(namedValue, nameKind);
    }
    this.#maskMembers(frame);
    const isTyped = type !== undefined && isSecretType(type);
    const isSecret =
      kind === undefined
        ? frame.hasData && (frame.apiVersion === "v1" || isTyped || this.#hasSecretList)
        : isSecretKind(kind);
    if (isSecret) for (const value of data) this.#maskData(value);
  }

  #maskMembers({ telling }: YamlFrame): void {
    if (telling === undefined || telling.size < 2) return;
    const textOf = ({ start, end }: Value) => this.#text.slice(start, end);
    const fields = new Map([...telling].map(([name, range]) => [name, textOf(range)]));
    for (const name of secretMembers(fields, false)) {
      const found = telling.get(name);
      if (found !== undefined && !isHarmlessValue(textOf(found), "SECRET")) this.#replace(found, "SECRET");
    }
  }

  #maskData(value: Value): void {
    const text = this.#text.slice(value.start, value.end);
    if (!text.startsWith("{")) {
      if (!NO_DATA.test(text)) this.#replace(value, "SECRET_DATA");
      return;
    }
    const masked = text.replaceAll(FLOW_VALUE, (_whole, before: string, inner: string) => {
      this.#context.step();
      const quote = /^["']/u.exec(inner)?.[0] ?? "";
      const end = quote !== "" && inner.length > 1 && inner.endsWith(quote) ? -1 : undefined;
      return `${before}"${this.#context.mask(inner.slice(quote.length, end).trim(), "SECRET_DATA")}"`;
    });
    this.#edits.set(value.start, value.end, masked);
  }

  #endBlock(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block?.value !== undefined) this.#replace(block.value, block.kind);
  }

  #replace({ start, end }: Value, kind: string): void {
    this.#edits.set(start, end, this.#context.mask(this.#text.slice(start, end), kind));
  }
}

/** Words after a colon in a sentence: `invalid token: signature is invalid`. A key of one word is no sentence. */
function isProse(key: string, value: string): boolean {
  if (!key.includes(" ")) return false;
  return /^[A-Za-z]+(?: [A-Za-z']+){2,}[.!?]?$/u.test(value) || SENTENCE.test(value);
}

/** Has a verb, or a colon of its own: `token is expired by 3h`, `oauth2: "invalid_grant"`. */
const SENTENCE = /^(?:(?:[A-Za-z]+ )?(?:is|was|has|must|cannot|does) [a-z]|[a-z][a-z\d ]{2,40}: )/u;
