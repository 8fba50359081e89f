import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const ResultContent = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: Type.String() }),
  Type.Object({
    type: Type.Union([Type.Literal("image"), Type.Literal("audio")]),
    data: Type.String(),
    mimeType: Type.String(),
  }),
  Type.Object({
    type: Type.Literal("resource_link"),
    uri: Type.String(),
    name: Type.Optional(Type.String()),
    mimeType: Type.Optional(Type.String()),
    size: Type.Optional(Type.Number()),
  }),
  Type.Object({
    type: Type.Literal("resource"),
    resource: Type.Object({
      uri: Type.Optional(Type.String()),
      mimeType: Type.Optional(Type.String()),
      text: Type.Optional(Type.String()),
      blob: Type.Optional(Type.String()),
    }),
  }),
]);
/** A part of a result that the protocol knows. */
type ResultContent = Static<typeof ResultContent>;

const parseContent = compileParser("part of a result", ResultContent);

/** A part of a result; undefined for one that the protocol does not know. */
export function contentOf(part: unknown): ResultContent | undefined {
  try {
    return parseContent(part);
  } catch {
    return undefined;
  }
}

/** The result that a tool returned, in either era of the protocol; its parts are of any kind. */
export const CallResult = Type.Object({
  content: Type.Optional(Type.Array(Type.Unknown())),
  structuredContent: Type.Optional(Type.Unknown()),
  isError: Type.Optional(Type.Boolean()),
});
export type CallResult = Static<typeof CallResult>;

export const parseCallResult = compileParser("result of a tool", CallResult);

/** The UTF-8 bytes of all texts in a result; the same value as text and as structured content counts once. */
export function resultBytes(result: unknown): number {
  if (typeof result !== "object" || result === null) return 0;
  const content = "content" in result ? textBytes(result.content) : 0;
  const structured = "structuredContent" in result ? textBytes(result.structuredContent) : 0;
  return Math.max(content, structured);
}

function textBytes(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next);
    if (typeof next !== "object" || next === null) continue;
    const members: readonly unknown[] = Object.values(next);
    for (const member of members) left.push(member);
  }
  return bytes;
}
