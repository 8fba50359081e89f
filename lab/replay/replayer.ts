import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Logger } from "#shared/service/logger.ts";
import { serveAnswers } from "./engine/answer-server.ts";
import { openConfiguredChains } from "./recording/configured-chains.ts";
import { RECORDED_CHAINS, type ChainSource } from "./recording/chain-source.ts";
import { OfflineBench } from "./engine/offline-bench.ts";
import { ReplaySession } from "./replay-session.ts";
import type { ReplayResult } from "./replay-result.ts";

interface ReplayOptions {
  /** Resolve each session's configuration anew from this directory; absent for the recorded one. */
  readonly configDirectory?: string;
  /** The variables that its files refer to, beside those of its `.env`. */
  readonly environment?: Environment;
  /** How many sessions are replayed at a time; by default 4. */
  readonly jobs?: number;
  readonly signal: AbortSignal;
  readonly log?: Logger;
}

/** Replays recorded sessions. */
export interface Replayer extends AsyncDisposable {
  /**
   * Runs a recorded session with today's code against the recorded answers. Sessions may be replayed at the same time, but not the same
   * one twice at a time. Throws the signal's reason.
   */
  replay(cassette: Cassette, signal: AbortSignal): Promise<ReplayResult>;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const JOBS = 4;
const REMOVE = "DELETE FROM alert_sessions WHERE session_id = $1";

/**
 * Opens what replays need: a database, an executor and the recorded models, which only this process can reach, by Unix sockets.
 * Throws AgentConfigError for invalid files of a directory that is given, LaunchError, and the signal's reason.
 */
export async function openReplayer(options: ReplayOptions): Promise<Replayer> {
  const { signal, log, jobs = JOBS } = options;
  await using opened = new AsyncDisposableStack();
  const { configDirectory, environment = {} } = options;
  const configured =
    configDirectory === undefined ? undefined : await openConfiguredChains(configDirectory, environment);
  const chains: ChainSource = configured ?? RECORDED_CHAINS;
  const directory = await mkdtemp(join(tmpdir(), "tarsy-model-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const bench = opened.use(await OfflineBench.open({ signal, ...(log === undefined ? {} : { log }) }));
  const sessions = new Map<string, ReplaySession>();
  const server = opened.use(
    await serveAnswers({
      socketPath: join(directory, "model.sock"),
      maxMessageBytes: MAX_MESSAGE_BYTES,
      answer: async (request, cancelled) => {
        const session = sessions.get(request.sessionId);
        if (session === undefined) throw new Error(`session ${request.sessionId} is not replayed`);
        return session.answer(request, cancelled);
      },
    }),
  );
  const executor = opened.use(
    await bench.openExecutor({
      llmAddress: server.address,
      llmToken: "replay",
      sessions: jobs,
      signal,
      ...(configured === undefined ? {} : { maskingRules: configured.maskingRules }),
      readVariable: (name) => `{{.${name}}}`,
      onEvents: (id) => sessions.get(id)?.onEvents(),
    }),
  );
  const resources = opened.move();
  const replay: Replayer["replay"] = async (cassette, stop) => {
    const { session_id: id } = cassette.session;
    if (sessions.has(id)) return { kind: "error", message: `session ${id} is being replayed already` };
    try {
      const session = new ReplaySession({ db: bench.db, executor, chains, log: bench.log, cassette });
      sessions.set(id, session);
      return await session.run(stop);
    } catch (error) {
      stop.throwIfAborted();
      const reason = error instanceof TerminalError ? error.message : `it failed: ${errorMessage(error)}`;
      return { kind: "error", message: reason };
    } finally {
      sessions.delete(id);
      // The same session may be replayed again.
      await bench.db.query(REMOVE, [id]).catch(() => undefined);
    }
  };
  return { replay, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
