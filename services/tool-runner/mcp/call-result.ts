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
