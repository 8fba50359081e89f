/** The reason of the signal of a tool call that a person wants the agent to go on without. */
export class SkippedError extends Error {
  constructor() {
    super("an operator skipped this call");
    this.name = "SkippedError";
  }
}
