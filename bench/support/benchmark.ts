/** What every benchmark gets from `main.ts`. */
export interface BenchmarkContext {
  /** Aborts on Ctrl-C; a benchmark then releases what it opened and throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Shows a line of progress; never part of the result. */
  readonly progress: (line: string) => void;
  /** Prints the result. */
  readonly print: (text: string) => void;
}

/** One benchmark: a file of its own, entered by name in `main.ts`. */
export interface Benchmark {
  /** One line for the list of benchmarks. */
  readonly summary: string;
  /** What `--help` behind its name prints. */
  readonly usage: string;
  /** Runs it with the arguments behind its name. Throws UsageError for arguments it does not take. */
  run(args: readonly string[], context: BenchmarkContext): Promise<void>;
}

/** A wrong call: one sentence, exit code 2. */
export class UsageError extends Error {}
