import { join } from "node:path";
import Mocha from "mocha";
import { errorMessage } from "#shared/errors.ts";
import CountReporter from "../support/count-reporter.ts";
import { findChartPrograms, MissingProgramError } from "./chart-programs.ts";

/**
 * `npm run test:chart`: exit code 0 if all passed, 1 if something failed, 3 if helm, kubeconform or kustomize are missing and cannot be
 * made here. Without a cluster: it renders the chart and checks what Kubernetes would accept.
 */
const CANNOT_RUN = 3;

try {
  await findChartPrograms();
  const mocha = new Mocha({
    timeout: 300_000,
    forbidOnly: true,
    forbidPending: true,
    reporter: CountReporter,
  });
  mocha.addFile(join(import.meta.dirname, "chart.test.ts"));
  await mocha.loadFilesAsync();
  mocha.run((failures) => process.exit(failures === 0 ? 0 : 1));
} catch (error) {
  const isMissing = error instanceof MissingProgramError;
  process.stderr.write(`${isMissing ? "skipped, the chart is not tested: " : ""}${errorMessage(error)}\n`);
  process.exitCode = isMissing ? CANNOT_RUN : 1;
}
