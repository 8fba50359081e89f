import { UUID_PATTERN } from "#shared/contracts/uuid.ts";

interface Rule {
  /** Follows the name of the field, e.g. `must be a UUID`. */
  readonly why: string;
  /** The accepted values, where they are few. */
  readonly allowed?: readonly string[];
}

/** What a field must be by its schema, for people. */
export function ruleOf(schema: unknown): Rule {
  const { type, minimum, maximum, minLength, maxLength, pattern, ...rest } = membersOf(schema);
  const allowed = Array.isArray(rest["enum"]) ? rest["enum"].map(String) : undefined;
  if (allowed !== undefined) return { why: `must be ${alternatives(allowed)}`, allowed };
  if (type === "integer") {
    return { why: `must be one whole number from ${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}` };
  }
  if (pattern === UUID_PATTERN) return { why: "must be a UUID" };
  if (maxLength !== undefined) {
    const least = minLength === undefined ? "at most" : `${JSON.stringify(minLength)} to`;
    return { why: `must have ${least} ${JSON.stringify(maxLength)} characters` };
  }
  if (pattern !== undefined) return { why: `must match ${JSON.stringify(pattern)}` };
  return { why: type === "string" ? "must be a string" : "is not allowed" };
}

function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
  return typeof schema === "object" && schema !== null ? { ...schema } : {};
}

/** `a, b or c` */
function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}
