import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { SERVICES } from "../../test/support/spawn-service.ts";

const run = promisify(execFile);
const BUNDLER = join(import.meta.dirname, "../bundle/main.ts");
const DEMO = join(import.meta.dirname, "../config/demo");
/** How a service ends whose settings are invalid, after all its code was loaded. */
const MISCONFIGURED = 78;

describe("the bundles of the image", function () {
  this.timeout(600_000);
  let directory: string;

  before(async () => {
    // Outside the checkout, so that no bundle finds the packages of node_modules.
    directory = await mkdtemp(join(tmpdir(), "tarsy-bundles-"));
    await run(process.execPath, [BUNDLER, directory]);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  for (const service of SERVICES) {
    it(`hold all that the ${service} loads`, async () => {
      const entry = join(directory, "services", service, "main.mjs");
      const failure: unknown = await run(process.execPath, [entry], {
        cwd: directory,
        env: { CONFIG_DIR: DEMO, LOG_LEVEL: "none", LOG_FORMAT: "json" },
      }).catch((error: unknown) => error);
      expect(failure).to.include({ code: MISCONFIGURED, stderr: "" });
      expect(failure).to.have.property("stdout").that.contains("LOG_LEVEL");
    });
  }

  it("load with the first use: the code that formats logs for terminals, and the SDKs of the providers", async () => {
    for (const service of SERVICES) {
      const files = await readdir(join(directory, "services", service));
      expect(
        files.some((name) => /^pino-pretty-\w+\.mjs$/u.test(name)),
        service,
      ).to.equal(true);
    }
    const gateway = await readFile(join(directory, "services/llm-gateway/main.mjs"), "utf8");
    expect(gateway).not.to.match(/GoogleGenAI|ChatOpenAI|ChatAnthropic/u);
  });

  it("come with the licences of the packages in them", async () => {
    const licences = await readFile(join(directory, "LICENSES.txt"), "utf8");
    for (const name of ["@google/genai", "@grpc/grpc-js", "koa", "pg", "pino"]) {
      expect(licences).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "mu"));
    }
    expect(licences).to.contain("Permission is hereby granted");
  });
});
