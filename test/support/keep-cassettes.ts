import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TarsyClient } from "./tarsy-client.ts";

const DIRECTORY = join(import.meta.dirname, "../../.tarsy/artefacts/cassettes");
/** Of one test file. */
const MAX_SESSIONS = 12;
const MAX_MS = 3_000;

/**
 * Writes cassettes of a test's sessions to `.tarsy/artefacts/cassettes`, to be looked at or replayed after the run. A session that has
 * not ended has none, and services that the test has stopped give none; neither fails the test.
 */
export async function keepCassettes(client: TarsyClient): Promise<void> {
  const signal = AbortSignal.timeout(MAX_MS);
  await mkdir(DIRECTORY, { recursive: true });
  for (const id of client.submitted.slice(0, MAX_SESSIONS)) {
    try {
      const { status, body } = await client.request(
        "GET",
        `/api/v1/sessions/${id}/cassette`,
        undefined,
        signal,
      );
      if (status === 200) await writeFile(join(DIRECTORY, `${id}.cassette.json`), JSON.stringify(body));
    } catch {
      return; // the api is away
    }
  }
}
