import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { TOOL_EFFECTS } from "#shared/contracts/tool-list.ts";
import { DurationOrZero, Name, Text, Whole } from "#shared/agent-config/schemas/schema-parts.ts";

const actions = {
  /** A literal result. */
  text: Type.Optional(Text),
  /** A result that reports the tool's own failure. */
  error: Type.Optional(Text),
  /** The tool throws an error with this message. */
  exception: Type.Optional(Text),
  /** A result of this many bytes. */
  bytes: Type.Optional(Whole(0)),
  /** A result of these bytes, which need not be text. */
  base64: Type.Optional(Text),
  /** Never answers. */
  hang: Type.Optional(Type.Boolean()),
};
export const STUB_ACTIONS: readonly string[] = Object.keys(actions);

const StubResult = Type.Object({
  /** Applies only to calls with these arguments, each compared as text; other arguments are ignored. */
  arguments: Type.Optional(Type.Record(Type.String(), Text)),
  /** Waited first. */
  delay: Type.Optional(DurationOrZero),
  ...actions,
});
export type StubResult = Static<typeof StubResult>;

const StubTool = Type.Object({
  description: Type.Optional(Text),
  /** The same as effect: read. */
  read_only: Type.Optional(Type.Boolean()),
  effect: Type.Optional(Type.Enum([...TOOL_EFFECTS])),
  /** A person must agree to each call. */
  approve: Type.Optional(Type.Boolean()),
  /** JSON Schema of the arguments as JSON text. */
  parameters: Type.Optional(Text),
  /** The first one that applies is used. */
  results: Type.Optional(Type.Array(StubResult)),
});
export type StubTool = Static<typeof StubTool>;

/** The shape of `stub-tools.yaml`. */
export const StubToolsFile = Type.Object({
  /** A file: each call is appended as a line of JSON and synced to disk before the tool does anything. */
  call_log: Type.Optional(Name),
  /** Keyed by server id, then by tool name. */
  servers: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), StubTool))),
});
export type StubToolsFile = Static<typeof StubToolsFile>;
