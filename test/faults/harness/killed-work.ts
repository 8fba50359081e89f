import type { StatementWatch } from "../../support/postgres-tap.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { ModelAnswer, ModelCall } from "./model-server.ts";
import type { ScenarioContext } from "./scenario.ts";

/** One piece of work that executors are killed under. */
export interface KilledSession {
  readonly sessionId: string;
  /** Its place among the pieces of the same kind, from 0. */
  readonly index: number;
  /** What happened to it, for messages. */
  readonly fate: string;
  /** No executor was killed at one of its writes. */
  readonly isUndisturbed: boolean;
}

/** A kind of work that must survive the death of its executor at each of its writes. */
export interface KilledWork {
  readonly name: string;
  /** More writes than it takes, so that the last pieces are not disturbed. */
  readonly writes: number;
  /** Sees the statements of the api. */
  readonly watchApi?: StatementWatch;
  /** How the model answers its calls; undefined for calls of other work. */
  answer(call: ModelCall, conversation: string): ModelAnswer | undefined;
  /** Prepares a session for the work to begin on, and resolves with its id. */
  prepare?(lab: FaultLab): Promise<string>;
  /** Begins the work, on the prepared session if there is one; resolves with the session's id. */
  begin(lab: FaultLab, piece: { readonly index: number; readonly prepared?: string }): Promise<string>;
  /** Done to each piece while the executor is killed. */
  atKill?(lab: FaultLab, session: KilledSession): Promise<void>;
  /** Done while the sessions wait for their next owner. */
  meanwhile?(context: ScenarioContext, lab: FaultLab): Promise<void>;
  /** Checks the pieces that have ended, all of one part of the scenario. */
  check(context: ScenarioContext, lab: FaultLab, sessions: readonly KilledSession[]): Promise<void>;
}
