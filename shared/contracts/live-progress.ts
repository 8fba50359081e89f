import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { ExecutionProgress } from "#shared/contracts/execution-progress.ts";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { ToolProgress } from "#shared/contracts/tool-progress.ts";

/** Everything on the subject `tarsy.progress.*`. */
export const LiveProgress = Type.Union([ToolProgress, ExecutionProgress]);
export type LiveProgress = Static<typeof LiveProgress>;

export const liveProgressCodec = jsonCodec("live progress", LiveProgress);
