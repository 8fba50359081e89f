import Mocha from "mocha";

/** Mocha's spec report, followed by the line that the build parses: `N passed, N failed`. */
export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once("end", () => {
      // Mocha's failures include those outside a test (a hook, an unhandled rejection).
      process.stdout.write(`${this.stats.passes} passed, ${this.stats.failures} failed\n`);
    });
  }
}
