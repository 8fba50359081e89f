/** An error that the user can fix. Its message is printed without a stack trace. */
export class LaunchError extends Error {
  /** 2 for an invalid command line, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options?: ErrorOptions & { exitCode?: 1 | 2 }) {
    super(message, options);
    this.name = "LaunchError";
    this.exitCode = options?.exitCode ?? 1;
  }
}
