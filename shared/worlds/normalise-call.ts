import { isExactNumber } from "#shared/exact-json.ts";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { compactJson } from "./world-hash.ts";
import type { When, WorldTool } from "./world-format.ts";

/** The arguments of a call in the form in which calls are compared: every scalar is text, names are sorted by the key. */
export type NormalArguments = ReadonlyMap<string, unknown>;

type Rules = NonNullable<WorldTool["normalise"]>;

/**
 * The arguments of a call of a tool with these rules, asked or recorded, in one form:
 *
 * 1. `rename`: other names of arguments become the tool's, unless that is given, too; texts lose white space at their ends
 * 2. `values`: other forms of a value become one
 * 3. null, "" and false, also as text, count as not given; false not where the tool has a default
 * 4. `defaults`: what is not given gets its default
 * 5. `ignore`: what makes no difference is dropped
 * 6. `known`: arguments that the tool has not are dropped
 * 7. scalars become text: 6379 is "6379", true is "true"
 */
export function normaliseCall(rules: Rules = {}, args: JsonObject): NormalArguments {
  const { defaults = {}, ignore = [], known } = rules;
  const normal = givenIn(rules, args);
  for (const [name, value] of Object.entries(defaults)) if (!normal.has(name)) normal.set(name, value);
  for (const { arg, when } of ignore) if (holds(when, normal)) normal.delete(arg);
  if (known !== undefined) for (const name of normal.keys()) if (!known.includes(name)) normal.delete(name);
  return new Map(Array.from(normal, ([name, value]) => [name, textual(value)]));
}

/** The first three steps. */
function givenIn({ rename = {}, values = {}, defaults = {} }: Rules, args: JsonObject): Map<string, unknown> {
  const normal = new Map<string, unknown>();
  const { own = [], other = [] } = Object.groupBy(Object.entries(args), ([name]) =>
    Object.hasOwn(rename, name) ? "other" : "own",
  );
  for (const [given, content] of [...own, ...other]) {
    const name = member(rename, given) ?? given;
    const value = ofValue(member(values, name), typeof content === "string" ? content.trim() : content);
    const isFalse = (value === false || value === "false") && !Object.hasOwn(defaults, name);
    if (value !== null && value !== "" && !isFalse && !normal.has(name)) normal.set(name, value);
  }
  return normal;
}

/**
 * The key of a call: two calls of one tool are the same if it is equal. It is the compact JSON of the normalised arguments; a database
 * stores its hash, which `sha256` of world-hash.ts makes.
 */
export function callKey(args: NormalArguments): string {
  return compactJson(Object.fromEntries(args));
}

/** True if all conditions hold for normalised arguments, or those that are being normalised. */
export function holds(when: When | undefined, args: NormalArguments): boolean {
  return [when ?? []].flat().every(({ arg, has, in: allowed }) => {
    const value = args.get(arg);
    if (has !== undefined && has !== (value !== undefined)) return false;
    return allowed === undefined || (value !== undefined && allowed.includes(String(textual(value))));
  });
}

function ofValue(rule: { lower?: boolean; aliases?: Record<string, string> } | undefined, value: unknown) {
  if (rule === undefined || typeof value !== "string") return value;
  const text = rule.lower === true ? value.toLowerCase() : value;
  return member(rule.aliases ?? {}, text) ?? text;
}

function textual(value: unknown): unknown {
  if (isExactNumber(value)) return String(Number(value.rawJSON));
  if (Array.isArray(value)) return value.map(textual);
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, textual(part)]));
  }
  return typeof value === "string" ? value : String(value);
}

/** A member that a model named: never one of Object's own. */
function member<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
