import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

/** How many messages a session takes in a minute and in all, and the characters of their texts in all: each is part of a prompt. */
export const STEERING_BOUNDS = { perMinute: 200, messages: 500, characters: 100_000 } as const;

/** After this a client may ask again about a bound that only the end of the session lifts. */
const ASK_AGAIN_SECONDS = 3_600;

const COUNT = `
SELECT count(*)::int AS messages, coalesce(sum(length(content)), 0)::int AS characters,
       (count(*) FILTER (WHERE created_at > clock_timestamp() - interval '1 minute'))::int AS recent,
       coalesce(ceil(extract(epoch FROM interval '1 minute' - (clock_timestamp() - min(created_at)
         FILTER (WHERE created_at > clock_timestamp() - interval '1 minute')))), 1)::int AS free_in
FROM steering_messages WHERE session_id = $1`;
const parseCount = compileParser(
  "messages of a session",
  Type.Object({
    messages: Type.Integer(),
    characters: Type.Integer(),
    recent: Type.Integer(),
    free_in: Type.Integer(),
  }),
);

/** Throws RequestError 429 if the session takes no message with this text now; to be called under the lock of its runtime row. */
export async function checkSteeringBounds(
  transaction: Queryable,
  sessionId: string,
  content: string | null,
): Promise<void> {
  const { perMinute, messages, characters } = STEERING_BOUNDS;
  const [found] = await selectRows(transaction, parseCount, COUNT, [sessionId]);
  if (found === undefined) return;
  if (found.messages >= messages) throw tooMany(`a session takes ${messages} messages in all`);
  if (found.characters + (content?.length ?? 0) > characters) {
    throw tooMany(
      `the messages to a session may have ${characters} characters in all, and have ${found.characters}`,
    );
  }
  if (found.recent >= perMinute) {
    throw tooMany(`a session takes ${perMinute} messages a minute`, Math.max(1, found.free_in));
  }
}

function tooMany(why: string, retryAfterSeconds = ASK_AGAIN_SECONDS): RequestError {
  return new RequestError(429, why, { retryAfterSeconds });
}
