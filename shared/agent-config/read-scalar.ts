import type { Scalar } from "yaml";
import { Type, type TSchema } from "typebox";

/** A scalar as Go's YAML would read it for a field of this schema; null for YAML's null. */
export function readScalar(node: Scalar, schema: TSchema): unknown {
  const { value } = node;
  if (value === null || value === undefined) return null;
  const plain = node.type === "PLAIN" && node.source !== undefined ? node.source : undefined;
  if (Type.IsString(schema) || Type.IsEnum(schema)) {
    return typeof value === "string" ? value : (plain ?? value);
  }
  if (plain === undefined || typeof value !== "string") return value;
  if (Type.IsBoolean(schema)) {
    if (/^(?:y|yes|on)$/iu.test(plain)) return true;
    if (/^(?:n|no|off)$/iu.test(plain)) return false;
  }
  if (Type.IsInteger(schema) && /^[-+]?\d[\d_]*$/u.test(plain)) return Number(plain.replaceAll("_", ""));
  return value;
}
