import { Type, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import { asTemplate } from "#shared/contracts/text-template.ts";
import type { Environment } from "#shared/service/environment.ts";
import { isJsonObject } from "#shared/json-object.ts";

/** Stand for a variable's name in a file that is read a second time; no YAML has a meaning for them. */
const [BEGIN, END] = ["\uE000", "\uE001"];
const MARK = /\uE000(\w+)\uE001/gu;

/** A shorter value may be part of any word. */
const MIN_REPLACED = 4;

/** An environment in which every variable that inserts something inserts a mark with its own name. */
export function markedEnvironment(env: Environment): Environment {
  const set = Object.keys(env).filter((name) => (env[name] ?? "") !== "");
  // A value may be in a file.
  const names = set.flatMap((name) =>
    name.endsWith("_FILE") ? [name, name.slice(0, -"_FILE".length)] : [name],
  );
  return Object.fromEntries(names.map((name) => [name, `${BEGIN}${name}${END}`]));
}

/**
 * Turns the texts of `value` whose schema says `template` into templates. `marked` is the same file with a marked environment: it shows
 * where a variable was inserted, with any value that YAML made of it. Where it has no text, because a variable inserted keys
 * or lists, the values of `env` are searched for.
 */
export function keepVariables(schema: TSchema, value: unknown, marked: unknown, env: Environment): void {
  if (Array.isArray(value)) {
    if (!Type.IsArray(schema)) return;
    const { items } = schema;
    value.forEach((item: unknown, index) => {
      value[index] = kept(items, item, Array.isArray(marked) ? marked[index] : undefined, env);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const innerSchema = schemaOf(schema, key);
    if (innerSchema === undefined) continue;
    value[key] = kept(innerSchema, inner, isJsonObject(marked) ? marked[key] : undefined, env);
  }
}

function kept(schema: TSchema, inner: unknown, marked: unknown, env: Environment): unknown {
  if (typeof inner === "string" && "template" in schema) {
    return typeof marked === "string" ? asTemplate(marked).replaceAll(MARK, "{{.$1}}") : searched(inner, env);
  }
  keepVariables(schema, inner, marked, env);
  return inner;
}

function schemaOf(schema: TSchema, key: string): TSchema | undefined {
  if (Type.IsRecord(schema)) return Type.RecordValue(schema);
  return Type.IsObject(schema) && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

function searched(text: string, env: Environment): string {
  let found = text;
  const values = Object.entries(env).filter(([, value = ""]) => value.length >= MIN_REPLACED);
  for (const [name, value = ""] of values.toSorted(([, a = ""], [, b = ""]) => b.length - a.length)) {
    found = found.replaceAll(value, `${BEGIN}${name}${END}`);
  }
  return asTemplate(found).replaceAll(MARK, "{{.$1}}");
}
