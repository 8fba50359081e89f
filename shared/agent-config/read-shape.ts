import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import { Type, type TSchema } from "typebox";
import type { ExpandedText } from "#shared/agent-config/expanded-text.ts";
import type { ParsedYaml } from "#shared/agent-config/parse-yaml.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { readMapEntries } from "#shared/agent-config/read-map-entries.ts";
import { readScalar } from "#shared/agent-config/read-scalar.ts";
import { nearestName } from "#shared/agent-config/nearest-name.ts";
import { joinPath, type Child } from "#shared/agent-config/source-map.ts";

/**
 * Turns a parsed file into the plain values its schema describes and registers where each was written.
 * Scalars are read as Go's YAML would for the field (a number is fine where text is wanted, `yes` where a
 * boolean is), null counts as not set, unknown keys are warned about and left out, a key given twice is an
 * error. Types and ranges are not judged here: a value of the wrong kind comes out as it is.
 */
export class ShapeReader {
  readonly #text: ExpandedText;
  readonly #yaml: ParsedYaml;
  readonly #reporter: Reporter;

  constructor(text: ExpandedText, yaml: ParsedYaml, reporter: Reporter) {
    this.#text = text;
    this.#yaml = yaml;
    this.#reporter = reporter;
  }

  /** The whole file; an empty one is an empty mapping. */
  readFile(schema: TSchema): unknown {
    const root = this.#yaml.root;
    const empty = root === null || (isScalar(root) && root.value === null);
    return empty ? this.#emptyMap() : this.#read(root, schema, "", root.range?.[0] ?? 0);
  }

  #emptyMap(): object {
    const value: object = { __proto__: null };
    this.#reporter.sources.add(value, "", this.#text, 0);
    return value;
  }

  #read(node: Node | null, schema: TSchema, path: string, start: number): unknown {
    if (node === null) return null;
    if (isAlias(node)) {
      const target = this.#yaml.aliases.get(node);
      return target === undefined ? null : this.#read(target, schema, path, start);
    }
    if (isMap(node)) return this.#readMap(node, schema, path, start);
    if (isSeq(node)) return this.#readList(node.items, schema, path, start);
    return isScalar(node) ? readScalar(node, schema) : null;
  }

  #readMap(node: YAMLMap, schema: TSchema, path: string, start: number): object {
    const { sources } = this.#reporter;
    const value: Record<string, unknown> = { __proto__: null };
    sources.add(value, path, this.#text, start);
    const isRecord = Type.IsRecord(schema);
    if (!isRecord && !Type.IsObject(schema)) return value;
    const entries = readMapEntries(node, this.#yaml.aliases, (problemNode, key, message) => {
      const at = this.#text.placeOf(problemNode.range?.[0] ?? start);
      const keyPath = key === undefined ? path : joinPath(path, key);
      this.#reporter.report.add({ severity: "error", ...at, path: keyPath, message });
    });
    for (const { key, keyNode, valueNode } of entries) {
      const inner: TSchema | undefined = isRecord ? Type.RecordValue(schema) : own(schema.properties, key);
      if (inner === undefined) {
        this.#warnUnknown(keyNode, key, path, Type.IsObject(schema) ? Object.keys(schema.properties) : []);
        continue;
      }
      const keyStart = keyNode.range?.[0] ?? start;
      const read = this.#read(valueNode, inner, joinPath(path, key), keyStart);
      sources.addChild(value, key, this.#child(key, valueNode, keyStart));
      if (sources.find(value, key)?.broken === true) continue;
      if (this.#countsAsUnset(read, inner, isRecord)) {
        this.#warnEmpty(value, key, read, inner);
        sources.removeChild(value, key);
        continue;
      }
      value[key] = read;
    }
    return value;
  }

  #readList(items: readonly unknown[], schema: TSchema, path: string, start: number): unknown[] {
    const value: unknown[] = [];
    this.#reporter.sources.add(value, path, this.#text, start);
    if (!Type.IsArray(schema)) return value;
    items.forEach((item, index) => {
      const node = isAlias(item) || isMap(item) || isSeq(item) || isScalar(item) ? item : null;
      const itemStart = node?.range?.[0] ?? start;
      const at = value.length;
      this.#reporter.sources.addChild(value, at, this.#child(index, node, itemStart));
      if (this.#reporter.sources.find(value, at)?.broken === true) return;
      value.push(this.#read(node, schema.items, joinPath(path, index), itemStart));
    });
    return value;
  }

  #child(segment: string | number, node: Node | null, keyStart: number): Child {
    const target = isAlias(node) ? (this.#yaml.aliases.get(node) ?? node) : node;
    const [start, end] = target?.range ?? [keyStart, keyStart];
    return { segment, start, end, kind: isMap(target) ? "mapping" : isSeq(target) ? "list" : "scalar" };
  }

  #countsAsUnset(read: unknown, inner: TSchema, isRecord: boolean): boolean {
    if (isRecord) return false;
    return read === null || (read === "" && Type.IsOptional(inner) && !("freeText" in inner));
  }

  #warnEmpty(container: object, key: string, read: unknown, inner: TSchema): void {
    if (read === null || "secret" in inner) return;
    this.#reporter.warn({ container, key }, "is empty and counts as not set");
  }

  #warnUnknown(keyNode: Scalar, key: string, path: string, known: readonly string[]): void {
    const nearest = nearestName(key, known);
    const hint = nearest === undefined ? `known keys: ${known.join(", ")}` : `did you mean ${nearest}?`;
    this.#reporter.report.add({
      severity: "warning",
      ...this.#text.placeOf(keyNode.range?.[0] ?? 0),
      path: joinPath(path, key),
      message: `is not a known key and has no effect; ${hint}`,
    });
  }
}

function own(properties: Readonly<Record<string, TSchema>>, key: string): TSchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}
