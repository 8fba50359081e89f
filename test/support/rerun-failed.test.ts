import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { projectRoot } from "../../launcher/prepare.mjs";
import { NEVER_RERUN } from "./never-rerun.ts";
import { itNightly } from "./nightly.ts";

/** Stands for the commands of the parts: real runs of mocha over the files of a test. The container stack cannot run. */
const NPM = `
case "$*" in
  test) [ ! -e type-error ] || { echo 'error TS2322'; exit 2; }
    exec node_modules/.bin/mocha '{cases,test/faults}/*.test.ts' ;;
  *test:web) exec node_modules/.bin/mocha --parallel --jobs 2 'test/web/*.test.ts' ;;
  *) exit 3 ;;
esac
`;

/** A mocha that a test starts must not report its failures as those of the build. */
const PASSES = `it("passes", () => { if ("TEST_FAILURES_FILE" in process.env) throw new Error("would report"); });`;
const FAILS = `it("fails", () => { throw new Error("it is broken"); });`;
/** The body of a test or hook, or a file's own code, that throws the first time only. */
const FIRST_TIME = `
  const { existsSync, writeFileSync } = await import("node:fs");
  const marker = import.meta.filename + ".marker";
  if (!existsSync(marker)) { writeFileSync(marker, ""); throw new Error("a race was lost"); }`;
const PAGE_FAILS_ONCE = `it("fails once", async () => {
  if (!process.env.CHROMIUM?.endsWith("bin/chromium")) throw new Error("no browser"); ${FIRST_TIME}});`;
const FAILS_ONCE = `${PASSES} it("fails once", async () => {${FIRST_TIME}});`;

/** Runs `.ci/run` in a directory with these files, as a user who may install nothing. */
function runBuild(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "tarsy-ci-"));
  try {
    for (const path of [".ci", ".mocharc.json", "node_modules", "package.json", "shared", "test/support"]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(projectRoot, path), join(folder, path));
    }
    const defaults = {
      "cases/plain.test.ts": PASSES,
      "test/web/plain.test.ts": PASSES,
      "test/landings.txt":
        "2026-11-20 cases/often.test.ts cases/test.test.ts\n2026-11-21 cases/often.test.ts\n",
    };
    for (const [path, text] of Object.entries({ ...defaults, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    mkdirSync(join(folder, "bin"));
    for (const [name, script] of Object.entries({ npm: NPM, id: "echo 1000", chromium: "exit 1" })) {
      writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const PATH = `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`;
    const { status, stdout, stderr } = spawnSync(join(folder, ".ci/run"), {
      encoding: "utf8",
      env: { ...process.env, PATH, CHROMIUM: "" },
    });
    const output = `${stdout}${stderr}`;
    const again = [...output.matchAll(/^running again, alone: (.+)$/gmu)].map(([, path]) => path);
    const flaky = [...output.matchAll(/^FLAKY: (\S+) .+\n(.+)\n(.+)$/gmu)].map(([, ...found]) => found);
    return { status, last: stdout.trimEnd().split("\n").at(-1), again, flaky, output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe(".ci/run", () => {
  it("passes with files that fail once, in a test or in a hook, and says what failed", () => {
    const hook = `describe("x", () => { before(async () => {${FIRST_TIME}}); ${PASSES} it("too", () => {}); });`;
    const { status, last, again, flaky, output } = runBuild({
      "cases/test.test.ts": FAILS_ONCE,
      "cases/hook.test.ts": hook,
      "test/web/page.test.ts": PAGE_FAILS_ONCE,
    });
    expect({ status, last }, output).to.deep.equal({ status: 0, last: "7 passed, 0 failed" });
    expect(again).to.have.members(["cases/test.test.ts", "cases/hook.test.ts", "test/web/page.test.ts"]);
    expect(flaky).to.have.deep.members([
      ["cases/test.test.ts", "fails once", "Error: a race was lost"],
      ["cases/hook.test.ts", 'x "before all" hook for "passes"', "Error: a race was lost"],
      ["test/web/page.test.ts", "fails once", "Error: a race was lost"],
    ]);
    expect(output).not.to.contain("FAILED:");
  });

  it("fails with a file that fails again, and with one that may not run again", () => {
    const { status, last, again, flaky, output } = runBuild({
      "cases/broken.test.ts": FAILS,
      "cases/test.test.ts": FAILS_ONCE,
      "test/faults/kill.test.ts": FAILS_ONCE,
    });
    expect({ status, last }, output).to.deep.equal({ status: 1, last: "5 passed, 2 failed" });
    expect(again).to.have.members(["cases/broken.test.ts", "cases/test.test.ts"]);
    expect(flaky.map(([path]) => path)).to.deep.equal(["cases/test.test.ts"]);
    expect(output).to.contain("FAILED: npm test\n");
  });

  itNightly("fails with a file that was flaky twice in the last ten landings", () => {
    const { status, last, again, output } = runBuild({ "cases/often.test.ts": FAILS_ONCE });
    expect({ status, last, again }, output).to.deep.equal({
      status: 1,
      last: "3 passed, 1 failed",
      again: [],
    });
    expect(output).to.contain("not run again: cases/often.test.ts, flaky in 2 of the last 10 landings");
  });

  itNightly("fails with more than three files, of which none runs again", () => {
    // Three failures are not the exit code of what cannot run here.
    const paths = ["cases/a.test.ts", "test/web/b.test.ts", "test/web/c.test.ts", "test/web/d.test.ts"];
    const { status, last, again, output } = runBuild(
      Object.fromEntries(paths.map((path) => [path, FAILS_ONCE])),
    );
    expect({ status, last, again }, output).to.deep.equal({
      status: 1,
      last: "6 passed, 4 failed",
      again: [],
    });
  });

  itNightly("fails with what is no failure of a test: a type error, a file that cannot be loaded", () => {
    const { status, last, again, output } = runBuild({
      "type-error": "",
      "test/web/unloadable.test.ts": `${FIRST_TIME} ${PASSES}`,
    });
    expect({ status, last, again }, output).to.deep.equal({
      status: 1,
      last: "1 passed, 2 failed",
      again: [],
    });
  });
});

describe("the test files that never run again", () => {
  const files = globSync("{deploy,examples,lab,launcher,scripts,services,shared,test}/**/*.test.ts", {
    cwd: projectRoot,
    exclude: ["**/node_modules"],
  });

  it("exist", () => {
    const unmatched = NEVER_RERUN.filter((glob) => !files.some((file) => matchesGlob(file, glob)));
    expect(unmatched).to.deep.equal([]);
  });

  it("are all that take the lease from an executor, or let a reply of Postgres go missing", () => {
    const disturbing = files.filter((file) =>
      /\b(?:loseLease\w*|postgresTap)\(/u.test(readFileSync(join(projectRoot, file), "utf8")),
    );
    expect(disturbing).to.have.length.above(5);
    const others = disturbing.filter((file) => !NEVER_RERUN.some((glob) => matchesGlob(file, glob)));
    expect(others).to.deep.equal([]);
  });
});
