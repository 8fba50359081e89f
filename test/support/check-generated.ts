import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BASELINE_FILE, baselineFile, frozenBaseline } from "../../scripts/write-baseline.ts";
import { bundleTypebox, TYPEBOX_FILE } from "../../scripts/bundle-typebox.ts";

/** Fails unless the committed code below shared/generated match typebox and the schema. */
const directory = mkdtempSync(join(tmpdir(), "tarsy-generated-"));
try {
  execFileSync("buf", ["generate", "-o", directory], { stdio: "inherit" });
  for (const file of ["shared/generated/llm/v1/llm.ts", "shared/generated/grpc/health/v1/health.ts"]) {
    if (readFileSync(join(directory, file), "utf8") === readFileSync(file, "utf8")) continue;
    process.stderr.write(`${file} does not match proto/: run \`npm run generate\` and commit the result\n`);
    process.exitCode = 1;
  }
  if ((await bundleTypebox(process.cwd())) !== readFileSync(TYPEBOX_FILE, "utf8")) {
    process.stderr.write(
      `${TYPEBOX_FILE} does not match the package: run \`npm run generate\` and commit the result\n`,
    );
    process.exitCode = 1;
  }
  const isFrozen = (await frozenBaseline(process.cwd())) !== undefined;
  if (!isFrozen && baselineFile() !== readFileSync(BASELINE_FILE, "utf8")) {
    process.stderr.write(
      `${BASELINE_FILE} does not match shared/database: run \`npm run schemas\` and commit the result\n`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
