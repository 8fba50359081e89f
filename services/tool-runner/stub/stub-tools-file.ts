import { Type, type Static } from "typebox";
import { DurationOrZero, Name, Text, Whole } from "#shared/agent-config/schemas/schema-parts.ts";

const actions = {
  /** A result as it is. */
  text: Type.Optional(Text),
  /** A result that the tool reports as its failure. */
  error: Type.Optional(Text),
  /** The tool cannot be run: the message of what it throws. */
  exception: Type.Optional(Text),
  /** A result of this many bytes. */
  bytes: Type.Optional(Whole(0)),
  /** A result of these bytes, be they text or not. */
  base64: Type.Optional(Text),
  /** Never answers. */
  hang: Type.Optional(Type.Boolean()),
};
export const STUB_ACTIONS: readonly string[] = Object.keys(actions);

const StubResult = Type.Object({
  /** Applies only to calls with these arguments, each compared as text; further ones do not matter. */
  arguments: Type.Optional(Type.Record(Type.String(), Text)),
  /** Waited before anything else. */
  delay: Type.Optional(DurationOrZero),
  ...actions,
});
export type StubResult = Static<typeof StubResult>;

const StubTool = Type.Object({
  description: Type.Optional(Text),
  /** May be called again after a crash. */
  read_only: Type.Optional(Type.Boolean()),
  /** JSON Schema of the arguments, as JSON text. */
  parameters: Type.Optional(Text),
  /** The first that applies is used. */
  results: Type.Optional(Type.Array(StubResult)),
});
export type StubTool = Static<typeof StubTool>;

/** The shape of `stub-tools.yaml`. */
export const StubToolsFile = Type.Object({
  /** Every started call is appended here as a line of JSON, and is on disk before the tool does anything. */
  call_log: Type.Optional(Name),
  /** By server id, then by tool. */
  servers: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), StubTool))),
});
