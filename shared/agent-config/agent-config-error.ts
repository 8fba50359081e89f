import { TerminalError } from "#shared/errors.ts";
import { formatProblem, type ConfigProblem } from "#shared/agent-config/config-problem.ts";

/** The files cannot be used; the message is the whole report, one line a problem. */
export class AgentConfigError extends TerminalError {
  /** Every error, by file and place. */
  readonly problems: readonly ConfigProblem[];
  /** What else there is to say; also without an error the configuration would carry these. */
  readonly warnings: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly ConfigProblem[] = [], dropped = 0) {
    const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
    const rest = dropped === 0 ? [] : [`and ${dropped} more`];
    super(
      "invalid_configuration",
      [
        `the configuration cannot be used: ${count}`,
        ...problems.map((problem) => `  ${formatProblem(problem)}`),
        ...rest.map((line) => `  ${line}`),
      ].join("\n"),
    );
    this.problems = problems;
    this.warnings = warnings;
  }
}
