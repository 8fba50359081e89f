import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Bus } from "#shared/bus/open-bus.ts";
import { releaseTools } from "#shared/bus/publish-message.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";

interface ToolHomesOptions {
  readonly db: Database;
  readonly bus: Bus;
  readonly sessionId: string;
  /** False after a takeover: a runner may hold connections for calls of the former owner. */
  readonly isFirstOwner: boolean;
}

const parseRunner = compileParser("tool call with its runner", Type.Object({ runner: Uuid }));
const NEWEST = `
SELECT runner FROM tool_calls WHERE execution_id = $1 AND runner IS NOT NULL ORDER BY started_at DESC LIMIT 1`;

/**
 * The tool-runner that holds the connections of each execution of a session: its home, to which calls are sent first.
 * This is only a preference: any runner can make any call, and the claim in Postgres lets only one of them do it.
 */
export class ToolHomes {
  readonly #options: ToolHomesOptions;
  /** By execution; null where none is known. */
  readonly #homes = new Map<string, string | null>();
  readonly #running = new Set<string>();

  constructor(options: ToolHomesOptions) {
    this.#options = options;
  }

  /** An execution that may call tools begins or goes on. */
  enter(executionId: string): void {
    this.#running.add(executionId);
  }

  /** The execution's home; undefined if none is known. Throws database errors. */
  async find(executionId: string): Promise<string | undefined> {
    const known = this.#homes.get(executionId);
    if (known !== undefined) return known ?? undefined;
    const { db, isFirstOwner } = this.#options;
    const [row] = isFirstOwner ? [] : await selectRows(db, parseRunner, NEWEST, [executionId]);
    const home = row?.runner ?? null;
    // A reply may have named another one meanwhile.
    if (!this.#homes.has(executionId)) this.#homes.set(executionId, home);
    return this.#homes.get(executionId) ?? undefined;
  }

  /** A reply has named the execution's home. */
  remember(executionId: string, runner: string): void {
    this.#homes.set(executionId, runner);
  }

  /** This runner does not answer. */
  forget(executionId: string, runner: string): void {
    if (this.#homes.get(executionId) === runner) this.#homes.set(executionId, null);
  }

  /** The execution has ended: tells the runners, and forgets its home. Never throws. */
  release(executionId: string): void {
    this.#homes.delete(executionId);
    if (!this.#running.delete(executionId)) return;
    const { bus, sessionId } = this.#options;
    releaseTools(bus, { session_id: sessionId, execution_id: executionId });
  }

  /** The session has ended, with all its executions. Never throws. */
  releaseAll(): void {
    for (const executionId of this.#running) this.release(executionId);
  }
}
