import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { textMask } from "../http/mask-body.ts";

/** An alert's text as it is stored with a session that it joins. */
export interface JoinedText {
  readonly sessionId: string;
  readonly data: string;
}

const FIND = "SELECT session_id FROM alert_groups WHERE group_key = $1 AND session_id IS NOT NULL";
const parseFound = compileParser("session of a group", Type.Object({ session_id: Uuid }));

/**
 * Returns a function that masks an alert's text with the key of the session that its group has now: what was masked there is found
 * again, and has the same placeholder. It resolves undefined if the group has none, and rejects with database errors. The group is not
 * locked: who joins another session meanwhile has a text that is masked by itself.
 */
export function joinedTexts(
  deps: Pick<ApiDeps, "db" | "config" | "masker" | "log">,
): (groupKey: string, data: string) => Promise<JoinedText | undefined> {
  const mask = textMask(deps);
  return async (groupKey, data) => {
    const [found] = await selectRows(deps.db, parseFound, FIND, [groupKey]);
    if (found === undefined) return undefined;
    const { session_id: sessionId } = found;
    return { sessionId, data: await mask(data, sessionId, "alert") };
  };
}
