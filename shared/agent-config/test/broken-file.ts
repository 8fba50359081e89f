/** A broken file: `§` marks the position of each error that must be reported, in the order of the file. */
export interface BrokenFile {
  readonly name: string;
  /** `defaults.llm_provider` is added if the text has no defaults. */
  readonly tarsy?: string;
  readonly providers?: string;
  /** The path and a part of the message of each marked error. */
  readonly errors: readonly (readonly [path: string, says: string])[];
}
