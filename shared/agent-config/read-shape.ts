import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Document,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { Type, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import type { ExpandedText } from "#shared/agent-config/expand-templates.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";
import { nearestName } from "#shared/agent-config/suggest-name.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";

/** The key and value nodes of each entry of a mapping. */
type EntriesByKey = Map<string, { readonly keyNode: Scalar; readonly value: unknown }>;

/** A value of a mapping with what is known of its place. */
interface ReadValue {
  readonly read: unknown;
  readonly schema: TSchema;
  readonly isRecord: boolean;
  readonly path: string;
  readonly start: number;
}

/**
 * Turns a parsed file into the plain values its schema describes and registers the position of each.
 * Scalars are read as Go's YAML reads them for the field (a number is accepted where text is expected, `yes`
 * where a boolean is), null counts as not set, unknown keys are warned about and left out, a duplicate key is
 * an error. Types and ranges are not checked: a value of the wrong kind is returned unchanged.
 */
export class ShapeReader {
  readonly #text: ExpandedText;
  readonly #document: Document.Parsed;
  readonly #reporter: Reporter;

  constructor(text: ExpandedText, document: Document.Parsed, reporter: Reporter) {
    this.#text = text;
    this.#document = document;
    this.#reporter = reporter;
  }

  /** Reads the whole file; an empty file is an empty mapping. Undefined if it is broken. */
  readFile(schema: TSchema): unknown {
    const root = this.#document.contents;
    const start = root?.range[0] ?? 0;
    const value = this.#read(root, schema, "", start);
    if (value !== null) return value;
    const empty: object = { __proto__: null };
    this.#reporter.sources.add(empty, "", this.#text, start);
    return empty;
  }

  #read(node: Node | null, schema: TSchema, path: string, start: number): unknown {
    if (isMap(node)) return this.#readMap(node, schema, path, start);
    if (isSeq(node)) return this.#readList(node, schema, path, start);
    if (!isScalar(node)) return null;
    const short = shorthandOf(schema);
    return short === undefined ? readScalar(node, schema) : this.#readShorthand(node, short, path, start);
  }

  /** A scalar in place of a mapping is the value of the mapping's most important key. */
  #readShorthand(node: Scalar, { key, schema }: Shorthand, path: string, start: number): unknown {
    const read = readScalar(node, schema);
    if (read === null) return null;
    const value: Record<string, unknown> = { __proto__: null };
    const { sources } = this.#reporter;
    sources.add(value, path, this.#text, start);
    const [from, to] = node.range ?? [start, start];
    sources.addChild(value, key, { start: from, end: to, kind: "scalar", broken: false });
    value[key] = read;
    return value;
  }

  /** Undefined, as everywhere here, for a value that cannot be read, which has been reported. */
  #readMap(node: YAMLMap, schema: TSchema, path: string, start: number): object | undefined {
    const { sources } = this.#reporter;
    const value: Record<string, unknown> = { __proto__: null };
    sources.add(value, path, this.#text, start);
    const isRecord = Type.IsRecord(schema);
    if (!isRecord && !Type.IsObject(schema)) return value;
    const entries = this.#entries(node, path);
    if (entries === undefined) return undefined;
    for (const [key, { keyNode, value: valueNode }] of entries) {
      const inner: TSchema | undefined = isRecord ? Type.RecordValue(schema) : own(schema.properties, key);
      if (inner === undefined) {
        this.#warnUnknown(keyNode, key, path, Type.IsObject(schema) ? Object.keys(schema.properties) : []);
        continue;
      }
      const read = this.#readChild(value, key, valueNode, inner, path, keyNode.range?.[0] ?? start);
      if (read === undefined) continue;
      this.#keep(value, key, { read, schema: inner, isRecord, path, start: keyNode.range?.[0] ?? start });
    }
    return value;
  }

  /** Sets a key unless its value counts as not set; an entry of a record without keys is an empty one. */
  #keep(
    container: Record<string, unknown>,
    key: string,
    { read, schema, isRecord, path, start }: ReadValue,
  ): void {
    const { sources } = this.#reporter;
    if (isRecord && read === null && Type.IsObject(schema)) {
      const entry: object = { __proto__: null };
      sources.add(entry, joinPath(path, key), this.#text, start);
      container[key] = entry;
      return;
    }
    const unset = isRecord && read !== null ? undefined : unsetReason(read, schema);
    if (unset === undefined) {
      container[key] = read;
      return;
    }
    if (unset !== "" && !("secret" in schema)) {
      this.#reporter.warn({ container, key }, `is ${unset} and counts as not set`);
    }
    sources.removeChild(container, key);
  }

  #readList(node: YAMLSeq, schema: TSchema, path: string, start: number): unknown[] {
    const value: unknown[] = [];
    this.#reporter.sources.add(value, path, this.#text, start);
    if (!Type.IsArray(schema)) return value;
    node.items.forEach((item, index) => {
      const itemStart = isNode(item) ? (item.range?.[0] ?? start) : start;
      value.push(this.#readChild(value, index, item, schema.items, path, itemStart));
    });
    return value;
  }

  /** Reads a value of a container and registers its position; undefined if it is broken. */
  #readChild(
    container: object,
    key: string | number,
    child: unknown,
    schema: TSchema,
    path: string,
    start: number,
  ): unknown {
    const node = this.#resolveAlias(child);
    const [from, to] = node?.range ?? [start, start];
    const isBroken = node === undefined || (!isCollection(node) && this.#text.insertedAt(from, to).broken);
    const value = isBroken ? undefined : this.#read(node, schema, joinPath(path, key), start);
    const kind = isMap(node) ? "mapping" : isSeq(node) ? "list" : "scalar";
    const broken = value === undefined;
    this.#reporter.sources.addChild(container, key, { start: from, end: to, kind, broken });
    return value;
  }

  /** The node itself or the one an alias stands for, null for no node; undefined for an invalid alias. */
  #resolveAlias(node: unknown): Node | null | undefined {
    if (!isAlias(node)) return isNode(node) ? node : null;
    const target = node.resolve(this.#document);
    const at = node.range?.[0] ?? 0;
    const [from, to] = target?.range ?? [at, at];
    if (target !== undefined && (at < from || at >= to)) return target;
    const reason = target === undefined ? "has no anchor before it" : "contains itself";
    this.#refuse(node, "", `the alias *${node.source} ${reason}`);
    return undefined;
  }

  /** The mapping's own entries, then those of `<<` that it does not have itself. */
  #entries(map: YAMLMap, path: string): EntriesByKey | undefined {
    const entries: EntriesByKey = new Map();
    const merged: (EntriesByKey | undefined)[] = [];
    for (const { key: keyNode, value } of map.items) {
      const key = isScalar(keyNode) ? keyText(keyNode) : "";
      if (isScalar(keyNode) && isMergeKey(keyNode)) merged.push(...this.#mergeSources(value, path));
      else if (!isScalar(keyNode) || key === "") this.#refuse(keyNode, path, "a key must be a name");
      else if (!entries.has(key)) entries.set(key, { keyNode, value });
      else this.#refuse(keyNode, joinPath(path, key), "the key is given twice; remove one");
    }
    for (const source of merged) {
      if (source === undefined) return undefined;
      for (const [key, entry] of source) if (!entries.has(key)) entries.set(key, entry);
    }
    return entries;
  }

  #mergeSources(value: unknown, path: string): (EntriesByKey | undefined)[] {
    const node = this.#resolveAlias(value);
    const sources = isSeq(node) ? node.items.map((item) => this.#resolveAlias(item)) : [node];
    return sources.map((source) => {
      if (isMap(source)) return this.#entries(source, path);
      if (source !== undefined) this.#refuse(source, path, "<< must name a mapping");
      return undefined;
    });
  }

  #refuse(node: unknown, path: string, message: string): void {
    const position = this.#text.positionOf(isNode(node) ? (node.range?.[0] ?? 0) : 0);
    this.#reporter.add({ severity: "error", ...position, path, message });
  }

  #warnUnknown(keyNode: Scalar, key: string, path: string, known: readonly string[]): void {
    const nearest = nearestName(key, known);
    // A file with api_key probably has the key itself behind it.
    const isVariable = nearest !== undefined && nearest === `${key}_env`;
    const meaning = isVariable ? " It takes the name of an environment variable, not its value" : "";
    const hint =
      nearest === undefined ? `known keys: ${known.join(", ")}` : `did you mean ${nearest}?${meaning}`;
    this.#reporter.add({
      severity: "warning",
      ...this.#text.positionOf(keyNode.range?.[0] ?? 0),
      path: joinPath(path, key),
      message: `is not a known key and has no effect; ${hint}`,
    });
  }
}

/** The reason why a value counts as not set, empty for one that is not there; undefined if it does not. */
function unsetReason(value: unknown, schema: TSchema): "" | "empty" | "zero" | undefined {
  if (value === null) return "";
  if (value === "" && Type.IsOptional(schema) && !("freeText" in schema)) return "empty";
  if (!("zeroUnset" in schema)) return undefined;
  if (Type.IsArray(schema)) return Array.isArray(value) && value.length === 0 ? "empty" : undefined;
  return value === 0 || (typeof value === "string" && parseDuration(value) === 0) ? "zero" : undefined;
}

/** A scalar as Go's YAML reads it for a field of this schema; null for YAML's null. */
function readScalar({ value, type, source }: Scalar, schema: TSchema): unknown {
  if (value === null || value === undefined) return null;
  const plain = type === "PLAIN" ? source : undefined;
  if (Type.IsString(schema) || Type.IsEnum(schema)) {
    return typeof value === "string" ? value : (plain ?? value);
  }
  if (plain === undefined || typeof value !== "string") return value;
  if (Type.IsBoolean(schema)) {
    if (/^(?:y|yes|on)$/iu.test(plain)) return true;
    if (/^(?:n|no|off)$/iu.test(plain)) return false;
  }
  const isNumber = Type.IsInteger(schema) || Type.IsNumber(schema);
  if (isNumber && /^[-+]?\d[\d_]*$/u.test(plain)) return Number(plain.replaceAll("_", ""));
  return value;
}

function isMergeKey({ value, type }: Scalar): boolean {
  return typeof value === "symbol" || (value === "<<" && (type === undefined || type === "PLAIN"));
}

function keyText({ value, source }: Scalar): string {
  return typeof value === "string" ? value : (source ?? "");
}

/** The key that a scalar may stand for, where a mapping is expected. */
interface Shorthand {
  readonly key: string;
  readonly schema: TSchema;
}

function shorthandOf(schema: TSchema): Shorthand | undefined {
  if (!Type.IsObject(schema) || !("shorthand" in schema)) return undefined;
  const key = String(schema.shorthand);
  const inner = own(schema.properties, key);
  return inner === undefined ? undefined : { key, schema: inner };
}

function own(properties: Readonly<Record<string, TSchema>>, key: string): TSchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}
