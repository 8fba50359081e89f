/** What `main.ts` passes to every benchmark. */
export interface BenchmarkContext {
  /** Aborts on Ctrl-C; a benchmark then releases what it opened and throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Prints a line of progress, which is not part of the result. */
  readonly progress: (line: string) => void;
  /** Prints the result. */
  readonly print: (text: string) => void;
}

/** One benchmark, registered by name in `main.ts`. */
export interface Benchmark {
  /** One line for the list of benchmarks. */
  readonly summary: string;
  /** The text for `NAME --help`. */
  readonly usage: string;
  /** Runs it with the arguments after its name. Throws UsageError for invalid arguments. */
  run(args: readonly string[], context: BenchmarkContext): Promise<void>;
}
