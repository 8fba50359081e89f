import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The longest fetch, its redirects included. */
export const RUNBOOK_FETCH_MS = 10_000;

/** executor → tool-runner: fetch the runbook that the session's row names. The epoch is that of the executor's lease. */
const RunbookFetchRequest = Type.Object({ session_id: Uuid, epoch: Type.Integer({ minimum: 1 }) });

/** `settled`: the outcome is in `session_runbooks`. `refused`: the executor does not own the session any more. */
const RunbookFetchReply = Type.Object({
  kind: Type.Union([Type.Literal("settled"), Type.Literal("refused"), Type.Literal("busy")]),
});

export const runbookFetchRequestCodec = jsonCodec("runbook fetch request", RunbookFetchRequest);
export const runbookFetchReplyCodec = jsonCodec("runbook fetch reply", RunbookFetchReply);

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
