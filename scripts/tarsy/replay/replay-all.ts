import pLimit from "p-limit";
import { TerminalError } from "#shared/errors.ts";
import { openReplayer, type Replayer } from "../../../lab/replay/replayer.ts";
import { UsageError } from "../command.ts";
import type { NamedCassette } from "./find-cassettes.ts";
import type { ReplayedCassette } from "./replayed-cassette.ts";

/** The cassettes to replay, and the receiver of each result. */
export interface CassetteReplay {
  readonly cassettes: readonly NamedCassette[];
  readonly replayer: Pick<Parameters<typeof openReplayer>[0], "configDirectory" | "environment">;
  readonly jobs: number;
  readonly signal: AbortSignal;
  /** Called for each cassette once all before it have been reported. */
  readonly onReplayed: (replayed: ReplayedCassette) => void;
  /** Called whenever one has ended. */
  readonly progress: (done: number) => void;
}

/** Replays cassettes, some at a time, and reports each in their order. Throws the signal's reason, and what the api refuses. */
export async function replayAll(request: CassetteReplay): Promise<ReplayedCassette[]> {
  const { cassettes, jobs, signal, onReplayed, progress } = request;
  await using replayer = await openReplayer({ ...request.replayer, jobs, signal });
  const limit = pLimit(jobs);
  const running = new Map<string, Promise<unknown>>();
  let done = 0;
  const results = cassettes.map(async (cassette) =>
    limit(async () => {
      signal.throwIfAborted();
      const replayed = await replayOne(replayer, cassette, { running, signal });
      done += 1;
      progress(done);
      return replayed;
    }),
  );
  // All are awaited below; one that fails must not be unhandled until then.
  for (const result of results) result.catch(() => undefined);
  const ended: ReplayedCassette[] = [];
  for (const result of results) {
    const replayed = await result;
    ended.push(replayed);
    onReplayed(replayed);
  }
  return ended;
}

async function replayOne(
  replayer: Replayer,
  { name, read }: NamedCassette,
  { running, signal }: { readonly running: Map<string, Promise<unknown>>; readonly signal: AbortSignal },
): Promise<ReplayedCassette> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  let sessionId: string | null = null;
  try {
    const cassette = await read();
    sessionId = cassette.session.session_id;
    // Two files of one session take turns.
    const before = running.get(sessionId);
    const replay = (async () => {
      await before;
      return replayer.replay(cassette, signal);
    })();
    running.set(
      sessionId,
      replay.catch(() => undefined),
    );
    return { name, sessionId, result: await replay, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof TerminalError || error instanceof UsageError)) throw error;
    return { name, sessionId, result: { kind: "error", message: error.message }, durationMs: durationMs() };
  }
}
