import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { TestSession } from "../../../services/notifier/test/test-session.ts";
import type { FaultLab } from "./fault-lab.ts";

const CONTENT = "The container is killed for memory: its limit is lower than what it needs to start. ".repeat(
  5,
);
const INTERVAL_MS = 1_000;
const log = pino({ level: "silent" });

/**
 * Sessions to which this process adds an event each second, as an executor does, so that many can be live at little
 * cost. Their status is `completed` from the beginning, so that no executor claims them.
 */
export class LiveSessions implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #sessions: readonly TestSession[];
  readonly #stopping = new AbortController();
  readonly #written: Promise<void>;
  readonly #lastSeqs = new Map<string, number>();

  private constructor(resources: AsyncDisposableStack, sessions: readonly TestSession[], history: number) {
    this.#resources = resources;
    this.#sessions = sessions;
    for (const { id } of sessions) this.#lastSeqs.set(id, history);
    this.#written = this.#write();
    this.#written.catch(() => undefined); // `end` throws it
  }

  /** Creates sessions with `history` events each and begins to add others. */
  static async start(lab: FaultLab, size: { sessions: number; history: number }): Promise<LiveSessions> {
    await using resources = new AsyncDisposableStack();
    const { postgres, nats } = lab.servers;
    const { signal } = new AbortController();
    const db = resources.use(
      await openDatabase({ url: postgres.url, applicationName: "fault-lab", poolSize: 2, log, signal }),
    );
    const bus = resources.use(await openBus({ url: nats.url, name: "fault-lab", log, signal }));
    const sessions: TestSession[] = [];
    for (let n = 0; n < size.sessions; n += 1) {
      const session = new TestSession(db, bus);
      await db.query(
        `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status, completed_at)
         VALUES ($1, 'case-live', 'test', 'test-chain', 'none', 'completed', now())`,
        [session.id],
      );
      await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [session.id]);
      await session.commit(...Array.from({ length: size.history }, () => session.whole(CONTENT)));
      sessions.push(session);
    }
    return new LiveSessions(resources.move(), sessions, size.history);
  }

  get ids(): string[] {
    return this.#sessions.map(({ id }) => id);
  }

  /** The newest event of each session at this time. */
  get lastSeqs(): ReadonlyMap<string, number> {
    return new Map(this.#lastSeqs);
  }

  /** Stops adding events and ends every session with its last one. Throws if an event could not be added. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#written;
    for (const session of this.#sessions) await session.emit(session.ended());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#written.catch(() => undefined);
    await this.#resources.disposeAsync();
  }

  async #write(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      for (const session of this.#sessions) {
        const [event] = await session.write(session.whole(CONTENT));
        if (event !== undefined) this.#lastSeqs.set(session.id, event.seq);
      }
      await wait(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
