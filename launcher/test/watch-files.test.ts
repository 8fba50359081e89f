import { expect } from "chai";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { watchFiles } from "../dev/watch-files.ts";

describe("watchFiles", () => {
  let root = "";
  let watcher: Disposable | undefined;
  let batches: string[][] = [];
  let onBatch = (): void => undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tarsy-watch-"));
    batches = [];
    onBatch = () => undefined;
    mkdirSync(join(root, "inner"));
    writeFileSync(join(root, "a.ts"), "1");
    writeFileSync(join(root, "inner", "b.ts"), "1");
    watcher = watchFiles({
      roots: [root, join(root, "missing")],
      quietMs: 10,
      onChange: (files) => {
        batches.push(files.map((file) => relative(root, file)).sort());
        onBatch();
      },
    });
  });
  afterEach(() => {
    watcher?.[Symbol.dispose]();
    rmSync(root, { recursive: true });
  });

  const write = (name: string): void => writeFileSync(join(root, name), "changed");
  /** Resolves when everything in `names` was reported. */
  const reported = async (names: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      onBatch = () => {
        const all = new Set(batches.flat());
        if (names.every((name) => all.has(name))) resolve();
      };
      onBatch();
    });

  it("reports files that were written in one go together, once", async () => {
    // Nothing is reported before this function returns.
    for (const name of ["a.ts", "inner/b.ts", "a.ts", "new.ts"]) write(name);
    await reported(["a.ts"]);
    expect(batches).to.deep.equal([["a.ts", "inner/b.ts", "new.ts"]]);
  });

  it("reports a file that replaces another one, again and again, and one that is deleted", async () => {
    for (let times = 0; times < 3; times += 1) {
      batches = [];
      writeFileSync(join(root, ".new"), String(times));
      renameSync(join(root, ".new"), join(root, "a.ts"));
      await reported(["a.ts"]);
    }
    batches = [];
    rmSync(join(root, "a.ts"));
    await reported(["a.ts"]);
  });

  it("reports the files of a new directory", async () => {
    mkdirSync(join(root, "later", "still"), { recursive: true });
    write("later/still/c.ts");
    await reported(["later/still/c.ts"]);
    batches = [];
    writeFileSync(join(root, "later/still/c.ts"), "once more");
    await reported(["later/still/c.ts"]);
  });

  it("reports neither permissions nor what is built, tested or hidden", async () => {
    chmodSync(join(root, "a.ts"), 0o600);
    for (const name of ["dist", "test", "node_modules"]) {
      mkdirSync(join(root, name));
      write(`${name}/x.ts`);
    }
    write(".hidden.swp");
    write("last.ts");
    await reported(["last.ts"]);
    expect(batches.flat()).to.deep.equal(["last.ts"]);
  });

  it("reports the settings of a directory, although their file is hidden", async () => {
    write(".env");
    await reported([".env"]);
  });
});
