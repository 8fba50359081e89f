/** The first place in which a replay differs from its recording. */
export interface ReplayDivergence {
  readonly agent: string | null;
  readonly stage: string | null;
  readonly execution_id: string | null;
  /** In words, such as "call 3 of the model". */
  readonly step: string;
  /** The recorded session's newest event after this step; null if it is not known. */
  readonly seq: number | null;
  /** JSON pointer into what is compared: the canonical request of a call, or the outcome. */
  readonly pointer: string;
  readonly recorded: string;
  readonly now: string;
}

/** What a replay has found. */
export type ReplayResult =
  | { readonly kind: "identical"; readonly notReplayed: readonly string[] }
  | {
      readonly kind: "diverged";
      readonly divergence: ReplayDivergence;
      readonly notReplayed: readonly string[];
    }
  /** The cassette cannot be replayed at all. */
  | { readonly kind: "error"; readonly message: string };
