import { isExactNumber, isObject, parseExactJson } from "#shared/exact-json.ts";

/** The depth to which arguments are looked at. */
const MAX_DEPTH = 32;
const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"] as const;
type JsonType = (typeof TYPES)[number];

/**
 * The arguments as the tool's schema wants them, where what the model wrote can mean one thing only: without `null` for an
 * optional or unknown member that does not admit it, and for one with a default; text that is JSON of an admitted type as that value; other
 * values for text as text; a single value for a list as a list of it. Anything else stays as it is, to be judged.
 */
export function fitArguments(
  args: Readonly<Record<string, unknown>>,
  schema: unknown,
): Record<string, unknown> {
  try {
    return fitMembers(args, { schema, root: schema, depth: 0 });
  } catch {
    return { ...args }; // a reference that is none
  }
}

interface ArgumentSchema {
  readonly schema: unknown;
  readonly root: unknown;
  readonly depth: number;
}

function fit(value: unknown, place: ArgumentSchema): unknown {
  const schemas = alternatives(place);
  const types = admittedTypes(schemas);
  if (place.depth > MAX_DEPTH || types === undefined) return value;
  const admitted = types.some((type) => isOfType(value, type)) ? value : converted(value, types);
  const inside = schemas.filter((schema) =>
    admittedTypes([schema])?.some((type) => isOfType(admitted, type)),
  );
  const [only, ...others] = inside;
  // The meant form of several is not known before its members are right.
  if (only === undefined || others.length > 0) return admitted;
  const next = { root: place.root, depth: place.depth + 1 };
  if (Array.isArray(admitted)) {
    return admitted.map((item: unknown) => fit(item, { ...next, schema: only["items"] }));
  }
  return isObject(admitted) ? fitMembers(admitted, { ...next, schema: only }) : admitted;
}

function fitMembers(
  value: Readonly<Record<string, unknown>>,
  place: ArgumentSchema,
): Record<string, unknown> {
  const [schema = {}, ...others] = alternatives(place);
  const { properties, required, additionalProperties: more } = others.length === 0 ? schema : {};
  const members = Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
    if (!isObject(properties) || !Object.hasOwn(properties, name)) {
      return given === null && more === false ? [] : [[name, given]];
    }
    const member = { ...place, schema: properties[name] };
    const types = admittedTypes(alternatives(member));
    const mayBeLeftOut =
      !(Array.isArray(required) && required.includes(name)) || hasDefault(properties[name]);
    const isLeftOut = types !== undefined && !types.includes("null") && isNothing(given, types);
    if (isLeftOut && mayBeLeftOut) return [];
    return [[name, fit(given, member)]];
  });
  // fromEntries keeps __proto__ as an ordinary key.
  return Object.fromEntries(members);
}

/** `null`, and the texts that stand for it where no text is admitted. */
function isNothing(value: unknown, types: readonly JsonType[]): boolean {
  if (typeof value !== "string") return value === null;
  return (
    !types.includes("string") && !types.includes("array") && /^\s*(?:null|none|undefined)?\s*$/iu.test(value)
  );
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && schema["default"] !== undefined;
}

/** A value in the only form that one of the types admits; itself if there is none. */
function converted(value: unknown, types: readonly JsonType[]): unknown {
  const admits = (candidate: unknown) => types.some((type) => isOfType(candidate, type));
  if (typeof value === "string") {
    const parsed = parse(value.trim());
    if (parsed !== undefined && admits(parsed)) return parsed;
  }
  if (types.includes("string") && (isOfType(value, "number") || typeof value === "boolean")) {
    return JSON.stringify(value);
  }
  const isOne = value !== null && value !== "" && !Array.isArray(value);
  return types.includes("array") && isOne ? [value] : value;
}

function parse(text: string): unknown {
  if (/^(?:true|false)$/iu.test(text)) return text.toLowerCase() === "true";
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** The schemas of which a value must match one, references followed, each once; those that admit anything are empty. */
function alternatives(
  { schema, root }: ArgumentSchema,
  seen = new Set<object>(),
): readonly Record<string, unknown>[] {
  if (!isObject(schema)) return [{}];
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, anyOf, oneOf, allOf, type, properties } = schema;
  const inner = (one: unknown) => alternatives({ schema: one, root, depth: 0 }, seen);
  if (typeof $ref === "string") return inner(resolved($ref, root));
  const choice: unknown = anyOf ?? oneOf ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf : undefined);
  const isChoice = Array.isArray(choice) && type === undefined && properties === undefined;
  return isChoice ? choice.flatMap(inner) : [schema];
}

/** The types that these schemas admit; undefined if one admits anything. */
function admittedTypes(schemas: readonly Record<string, unknown>[]): readonly JsonType[] | undefined {
  const types = schemas.map(({ type, enum: values, const: value, nullable, properties }) => {
    const stated: readonly unknown[] = type === undefined ? [] : [type].flat();
    const known = TYPES.filter((one) => stated.includes(one));
    const allowed: unknown = values ?? (value === undefined ? undefined : [value]);
    const listed = Array.isArray(allowed) ? TYPES.filter((one) => allowed.some((a) => isOfType(a, one))) : [];
    const own =
      known.length > 0 ? known : listed.length > 0 || !isObject(properties) ? listed : ["object" as const];
    return nullable === true && own.length > 0 ? [...own, "null" as const] : own;
  });
  return types.some((own) => own.length === 0) ? undefined : types.flat();
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (isExactNumber(value)) {
    return type === "number" || (type === "integer" && /^-?\d+$/u.test(value.rawJSON));
  }
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

/** The schema that a reference within the schema names. */
function resolved(reference: string, root: unknown): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  const names = reference.split("/").slice(1);
  return names.reduce<unknown>((at, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}
