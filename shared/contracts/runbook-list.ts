import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** More are not listed. */
export const MAX_LISTED_RUNBOOKS = 1_000;

/** api → tool-runner: the runbooks to choose from. */
const RunbookListRequest = Type.Object({});

/** Addresses of their pages; empty if none can be listed. */
const RunbookListReply = Type.Object({
  urls: Type.Array(Type.String(), { maxItems: MAX_LISTED_RUNBOOKS }),
});

export const runbookListRequestCodec = jsonCodec("runbook list request", RunbookListRequest);
export const runbookListReplyCodec = jsonCodec("runbook list reply", RunbookListReply);
