/**
 * Gives the values of arguments written as text the types that the tool's schema (JSON Schema as text) states, where text
 * says one of them exactly: numbers, booleans, null, and lists and objects in JSON. A single value for a list becomes a list
 * of it; other values for text become text. Anything else stays as it is, for the tool-runner to judge. Only the schema's own
 * properties are looked at, not what is inside of them. Integers that lose digits as a number stay text.
 */
export function coerceArguments(
  parameters: Readonly<Record<string, unknown>>,
  schemaText: string,
): Record<string, unknown> {
  const properties = propertiesOf(schemaText);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isRecord(schema) ? coerce(value, typesOf(schema)) : value];
    }),
  );
}

function coerce(value: unknown, types: readonly unknown[]): unknown {
  if (types.length === 0 || types.some((type) => isOfType(value, type))) return value;
  if (typeof value === "string") {
    const parsed = parse(value.trim());
    if (parsed !== undefined && types.some((type) => isOfType(parsed, type))) return parsed;
  }
  if (types.includes("string") && (typeof value === "number" || typeof value === "boolean")) {
    return String(value);
  }
  return types.includes("array") && value !== null && typeof value !== "object" ? [value] : value;
}

function parse(text: string): unknown {
  if (/^(?:true|false)$/iu.test(text)) return text.toLowerCase() === "true";
  try {
    const value: unknown = JSON.parse(text);
    const losesDigits = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return losesDigits ? undefined : value;
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function propertiesOf(schemaText: string): Readonly<Record<string, unknown>> {
  try {
    const schema: unknown = JSON.parse(schemaText);
    return isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  } catch {
    return {};
  }
}

function typesOf({ type }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
