import type { RunEnd } from "../../run-session.ts";
import type { RunFixture } from "../run-fixture.ts";
import type { ToolRunnerFixture } from "../tool-runner-fixture.ts";
import type { WritePoints } from "../write-points.ts";

/** What the scripts of features work with. */
export interface FeatureLab {
  /** With the scripted providers `second` and `third`. */
  readonly runs: RunFixture;
  readonly tools: ToolRunnerFixture;
  readonly points: WritePoints;
}

/**
 * One feature of the executor as a session that runs through it. `disturbed-features.test.ts` kills the owner of such sessions after their
 * writes, and cancels them with their writes.
 */
export interface Feature {
  readonly name: string;
  /** Sets the script of the model and inserts a session, with everything that comes before the run that is disturbed. Resolves with its id. */
  start(lab: FeatureLab): Promise<string>;
  /** How that run ends: by default it completes; otherwise it is the work after the end of a session. */
  readonly end?: RunEnd;
  /** How many calls of tools a session makes; undefined if that depends on the moment of a kill. */
  readonly toolCalls?: number;
  /** What a kill loses may make the session fail. */
  readonly mayFail?: true;
  /** What people do each time the session waits for them, or is parked. */
  answer?(lab: FeatureLab, id: string): Promise<void>;
  /** What other services do after each death. */
  afterEachDeath?(lab: FeatureLab): Promise<void>;
  /** What happens between the first owner's death and the next one. What it resolves with is for `expects`. */
  afterDeath?(lab: FeatureLab, id: string): Promise<unknown>;
  /** Takes the place of "the same rows as the undisturbed session" where they depend on the moment of the kill. Throws what is not as expected. */
  expects?(lab: FeatureLab, id: string, atDeath: unknown): Promise<void>;
  /** What is true of a session however it was disturbed. Throws what is not as expected. */
  always?(lab: FeatureLab, id: string): Promise<void>;
  /** Removes what another session of the feature would see. */
  forget?(lab: FeatureLab, id: string): Promise<void>;
}

const OVER = `
SELECT 1 FROM alert_sessions WHERE session_id = $1 AND status IN ('completed', 'failed', 'cancelled', 'timed_out')
AND NOT EXISTS (SELECT FROM follow_ups WHERE session_id = $1 AND status IN ('pending', 'active'))`;

/** Runs a session with one owner after the other until it ends; `onDeath` is called when one has lost its lease. Resolves with how it ends. */
export async function runToEnd(
  lab: FeatureLab,
  feature: Feature,
  id: string,
  onDeath: (death: number) => Promise<void> = async () => {},
): Promise<RunEnd> {
  for (let deaths = 0; ;) {
    const end = await lab.runs.run(id);
    if (end === "lost") await onDeath((deaths += 1));
    else if (end === "parked" || (end === "waiting" && feature.answer !== undefined)) {
      await feature.answer?.(lab, id);
      // It was to park, and a cancel came.
    } else if (end !== "released") return end;
    // The write after which it died was the last one of its work.
    const isOver = end === "lost" && (await lab.runs.executor.query(OVER, [id])).length > 0;
    if (isOver) return feature.end ?? "completed";
  }
}
