import Mocha from "mocha";

/** mocha's spec report, closed by the line that the build counts: `N passed, N failed`. */
export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once("end", () => {
      // A failure outside a test (a hook, an unhandled rejection) has no test of its own, but is counted by mocha.
      process.stdout.write(`${this.stats.passes} passed, ${this.stats.failures} failed\n`);
    });
  }
}
