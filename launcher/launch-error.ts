/** Something the person at the terminal can put right; its message is the one sentence to show, without a stack. */
export class LaunchError extends Error {
  /** 2 for a wrong command line, 1 for anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options?: ErrorOptions & { exitCode?: 1 | 2 }) {
    super(message, options);
    this.name = "LaunchError";
    this.exitCode = options?.exitCode ?? 1;
  }
}
