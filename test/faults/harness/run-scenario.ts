import { errorMessage } from "#shared/errors.ts";
import { checkLab } from "./check-lab.ts";
import { FaultLab } from "./fault-lab.ts";
import type { Figure, Finding, Scenario, ScenarioContext } from "./scenario.ts";
import { ScenarioRandom } from "./scenario-random.ts";

/** The outcome of a scenario. */
export interface ScenarioResult {
  readonly name: string;
  readonly seed: number;
  readonly short: boolean;
  readonly passed: boolean;
  readonly seconds: number;
  readonly figures: readonly Figure[];
  readonly findings: readonly Finding[];
  /** The end of the services' output; empty if the scenario passed. */
  readonly output: string;
}

interface RunOptions {
  readonly seed: number;
  readonly short: boolean;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

const OUTPUT_CHARS = 40_000;

/**
 * Runs a scenario on its own system, then checks every invariant. A failure becomes a finding; only the signal's reason is
 * thrown.
 */
export async function runScenario(
  scenario: Scenario,
  { seed, short, signal, progress }: RunOptions,
): Promise<ScenarioResult> {
  const startedAt = performance.now();
  const random = new ScenarioRandom(seed);
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  let mayRepeat = 0;
  const complaints: RegExp[] = [];
  let starting: Promise<FaultLab> | undefined;
  let output = "";
  const context: ScenarioContext = {
    random,
    signal,
    short,
    progress,
    lab: (options) => (starting = FaultLab.start({ ...options, random })),
    figure: (name, value, unit) => void figures.push({ name, value, unit }),
    expect: (what, ok, detail = "") => void findings.push({ what, ok, detail }),
    allowRepeats: (calls) => void (mayRepeat += calls),
    allowComplaints: (...patterns) => void complaints.push(...patterns),
  };
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  const attempt = async (what: string, work: () => Promise<void>) => {
    await Promise.race([work(), aborted.promise]).catch((error: unknown) => {
      signal.throwIfAborted();
      findings.push({ what, ok: false, detail: errorMessage(error) });
    });
  };
  try {
    await attempt("the scenario runs to its end", () => scenario.run(context));
    // Check the invariants after a failure too: they help to explain it.
    await attempt("the system can be checked", async () => {
      const allowed = { mayRepeat, complaints };
      if (starting !== undefined) findings.push(...(await checkLab(await starting, allowed)));
    });
  } finally {
    const lab = await starting?.catch(() => undefined);
    output = lab?.system.output.slice(-OUTPUT_CHARS) ?? "";
    await lab?.[Symbol.asyncDispose]();
  }
  const passed = findings.every(({ ok }) => ok);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    name: scenario.name,
    seed,
    short,
    passed,
    seconds,
    figures,
    findings,
    output: passed ? "" : output,
  };
}
