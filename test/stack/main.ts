import { join } from "node:path";
import Mocha from "mocha";
import { errorMessage } from "#shared/errors.ts";
import CountReporter from "../support/count-reporter.ts";
import { findEngine, NoEngineError } from "./container-engine.ts";
import { Stack } from "./stack.ts";

/**
 * `npm run test:stack [-- stack | cluster]`, only `stack` unless others are named: exit code 0 if all passed, 1 if something
 * failed, 3 if containers cannot run here. `-- images` builds the base images, and those of the stack that TEST_STACK_NAME names, and runs no tests.
 */
const CANNOT_RUN = 3;

try {
  const names = process.argv.length > 2 ? process.argv.slice(2) : ["stack"];
  const engine = await findEngine();
  if (names.includes("images")) {
    await Stack.buildImages(engine);
    process.exit(0);
  }
  const mocha = new Mocha({
    timeout: 900_000,
    forbidOnly: true,
    forbidPending: true,
    reporter: CountReporter,
  });
  for (const name of names) mocha.addFile(join(import.meta.dirname, `${name}.test.ts`));
  await mocha.loadFilesAsync();
  mocha.run((failures) => process.exit(failures === 0 ? 0 : 1));
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = error instanceof NoEngineError && error.reason === "forbidden" ? CANNOT_RUN : 1;
}
