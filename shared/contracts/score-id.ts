import { v5 as uuidFrom } from "uuid";

/** The id of the score that a follow-up writes. It derives from the follow-up's, so that no step has to look it up. */
export function scoreIdOf(followUpId: string): string {
  return uuidFrom("score", followUpId);
}
