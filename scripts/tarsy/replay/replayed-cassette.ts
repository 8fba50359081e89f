import type { ReplayResult } from "../../../lab/replay/replay-result.ts";

/** The result of one cassette of the command line. */
export interface ReplayedCassette {
  readonly name: string;
  /** Null if it could not be read. */
  readonly sessionId: string | null;
  readonly result: ReplayResult;
  readonly durationMs: number;
}
