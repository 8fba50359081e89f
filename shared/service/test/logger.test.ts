import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);
const SCRIPT = `
import { createLogger } from "#shared/service/logger.ts";
const log = await createLogger({ service: "s", level: "info", format: process.argv[1] });
log.info({ file: "\\u202Egnp.exe\\u2028\\n\\u001b[2J" }, "done");
process.exit(0);`;

describe("a log line with text that would show something else", () => {
  const lineOf = async (format: string) => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", SCRIPT, format]);
    expect(stdout.trimEnd().split("\n")).to.have.length(1);
    expect(stdout).to.not.match(/[\p{Bidi_Control}\u2028\u2029]/u);
    return stdout;
  };

  it("is escaped in JSON, which means the same", async () => {
    const parsed: unknown = JSON.parse(await lineOf("json"));
    expect(parsed).to.include({ file: "\u202Egnp.exe\u2028\n\u001B[2J", message: "done" });
  });

  it("is shown in readable lines", async () => {
    expect(await lineOf("pretty")).to.include("<U+202E>gnp.exe<U+2028>");
  });
});
