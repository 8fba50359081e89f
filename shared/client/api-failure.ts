/** A request that the api did not carry out. The message is a sentence for people. */
export class ApiFailure extends Error {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** The accepted values, where they are few. */
  readonly allowed: readonly string[];
  /** The code for machines, e.g. `events_purged`. */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: {
      readonly status?: number;
      readonly allowed?: readonly string[];
      readonly code?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ApiFailure";
    this.status = options.status;
    this.allowed = options.allowed ?? [];
    this.code = options.code;
  }
}
