import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { describeNightly } from "../../../test/support/nightly.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const NAMES_WITH_UNITS = /_(ms|us|mb|kb|ratio)$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Runs the command; returns its exit code and output. */
async function bench(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await once(child, "close");
  return { code: child.exitCode, output, errors };
}

describeNightly("npm run bench -- gateway", () => {
  it("reports every figure with its unit, for people and for scripts", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"));
    try {
      const file = join(directory, "report.json");
      const { code, output, errors } = await bench("gateway", "--share", "1", "--json", file);
      expect(code, errors).to.equal(0);
      const report: unknown = JSON.parse(await readFile(file, "utf8"));
      expect(report).to.have.nested.property("settings.chunks_per_call", 200);
      for (const section of ["first_chunk", "cpu_per_chunk", "cancel", "streams_at_once"]) {
        const figures = Object.entries(isObject(report) && isObject(report[section]) ? report[section] : {});
        expect(figures, section).not.to.be.empty;
        for (const [name, value] of figures) {
          expect(name).to.match(NAMES_WITH_UNITS);
          expect(Number.isFinite(value), `${name} = ${String(value)}`).to.equal(true);
        }
      }
      for (const text of [
        "first chunk",
        "CPU per chunk",
        "cancel",
        "concurrent streams",
        "compare only within one run",
      ]) {
        expect(output).to.contain(text);
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
