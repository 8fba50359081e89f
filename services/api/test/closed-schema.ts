type Json = Readonly<Record<string, unknown>>;

/**
 * A copy of a JSON Schema in which objects with named members refuse others, unless they say that they allow them. The parts
 * of an `allOf` are closed together.
 */
export function closedSchema(schema: unknown): unknown {
  return close(schema, true);
}

function close(value: unknown, mayClose: boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => close(item, mayClose));
  if (typeof value !== "object" || value === null) return value;
  const schema: Json = { ...value };
  const members = Object.fromEntries(
    Object.entries(schema).map(([key, member]): [string, unknown] => {
      if (key === "properties") return [key, closeEach(member)];
      if (["default", "example", "examples", "enum", "const"].includes(key)) return [key, member];
      return [key, close(member, key !== "allOf")];
    }),
  );
  if (!mayClose) return members;
  if (Array.isArray(schema["allOf"])) return { unevaluatedProperties: false, ...members };
  const isObject = schema["type"] === "object" && typeof schema["properties"] === "object";
  return isObject && schema["additionalProperties"] === undefined
    ? { ...members, additionalProperties: false }
    : members;
}

function closeEach(properties: unknown): unknown {
  if (typeof properties !== "object" || properties === null) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, close(schema, true)]));
}
