import { errorMessage } from "#shared/errors.ts";
import { checkLab } from "./check-lab.ts";
import { FaultLab } from "./fault-lab.ts";
import type { Figure, Finding, Scenario, ScenarioContext } from "./scenario.ts";
import { Chance } from "./chance.ts";

/** How a scenario went. */
export interface ScenarioResult {
  readonly name: string;
  readonly seed: number;
  readonly short: boolean;
  readonly passed: boolean;
  readonly seconds: number;
  readonly figures: readonly Figure[];
  readonly findings: readonly Finding[];
  /** The last of what the services wrote, where it failed. */
  readonly output: string;
}

export interface RunOptions {
  readonly seed: number;
  readonly short: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const OUTPUT_CHARS = 40_000;

/** Runs a scenario on a system of its own, then checks whatever must always hold. Never throws but for the signal. */
export async function runScenario(
  scenario: Scenario,
  { seed, short, signal, say }: RunOptions,
): Promise<ScenarioResult> {
  const startedAt = performance.now();
  const random = new Chance(seed);
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  let mayRepeat = 0;
  let starting: Promise<FaultLab> | undefined;
  let output = "";
  const context: ScenarioContext = {
    random,
    signal,
    short,
    say,
    lab: (options) => (starting = FaultLab.start({ ...options, random, say })),
    figure: (name, value, unit) => void figures.push({ name, value, unit }),
    expect: (what, ok, detail = "") => void findings.push({ what, ok, detail }),
    allowRepeats: (calls) => void (mayRepeat += calls),
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
    // What broke is worth more with what else is broken.
    await attempt("the system can be checked", async () => {
      if (starting !== undefined) findings.push(...(await checkLab(await starting, mayRepeat)));
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
