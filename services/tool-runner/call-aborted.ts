/** The reason why a running call is ended; the reason of its signal. */
export class CallAborted extends Error {
  readonly why: "cancelled" | "deadline" | "runner_stops";

  constructor(why: CallAborted["why"], message: string) {
    super(message);
    this.why = why;
  }
}
