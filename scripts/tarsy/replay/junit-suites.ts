import type { JunitOutcome, JunitSuite } from "#shared/junit-xml.ts";
import type { ReplayedCassette } from "./replayed-cassette.ts";

/** The results as JUnit's suites: one suite with a test for each cassette. */
export function junitSuites(results: readonly ReplayedCassette[]): readonly JunitSuite[] {
  const cases = results.map(({ name, result, durationMs }) => ({
    className: "cassettes",
    name,
    seconds: durationMs / 1_000,
    outcome: outcomeOf(result),
  }));
  return [{ name: "tarsy replay", cases }];
}

function outcomeOf(result: ReplayedCassette["result"]): JunitOutcome {
  switch (result.kind) {
    case "identical":
      return { kind: "passed" };
    case "error":
      return { kind: "error", message: result.message };
    case "diverged": {
      const { agent, step, seq, pointer, recorded, now } = result.divergence;
      const message = `${agent ?? "session"}, ${step}: ${pointer}`;
      return {
        kind: "failure",
        message,
        text: `event ${seq ?? "unknown"}\nrecorded: ${recorded}\nnow: ${now}`,
      };
    }
    default:
      return result satisfies never;
  }
}
