import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../../test/support/until.ts";
import { keepBundles } from "../keep-bundles.ts";

describe("keepBundles", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-bundles-"));
  const directory = join(root, "kept");
  after(() => rmSync(root, { recursive: true }));

  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const keep = async () => {
    let built = 0;
    const programs = ["services/hello"];
    const { bundles, isNew } = await keepBundles({ root, directory, programs, onBuild: () => (built += 1) });
    expect(built).to.equal(isNew ? 1 : 0);
    const output = execFileSync(process.execPath, [join(bundles, "hello", "main.mjs")], { encoding: "utf8" });
    return { isNew, output };
  };

  it("bundles anew only after a change of a source that is no test, and keeps no others", async () => {
    write("package-lock.json", "{}");
    write("shared/word.ts", `export const word = "one";`);
    write("services/hello/main.ts", `import { word } from "../../shared/word.ts"; console.log(word);`);
    expect(await keep()).to.deep.equal({ isNew: true, output: "one\n" });
    write("services/hello/test/hello.test.ts", "");
    expect(await keep()).to.deep.equal({ isNew: false, output: "one\n" });
    write("shared/word.ts", `export const word = "two";`);
    expect(await keep()).to.deep.equal({ isNew: true, output: "two\n" });
    expect(readdirSync(directory)).to.have.length(1);
  });

  it("ends the bundler, which would keep its memory as long as this process runs", async () => {
    write("shared/word.ts", `export const word = "four";`);
    expect(await keep()).to.deep.equal({ isNew: true, output: "four\n" });
    const children = `/proc/self/task/${process.pid}/children`;
    const pids = () =>
      existsSync(children) ? readFileSync(children, "utf8").split(" ").filter(Boolean) : [];
    const states = () => pids().map((pid) => readFileSync(`/proc/${pid}/stat`, "utf8"));
    // One that has ended and was not waited for yet has the state Z.
    await until("it has ended", () => !states().some((state) => /\(esbuild\) [^Z]/u.test(state)));
  });

  it("leaves nothing that a later start takes for bundles when a program cannot be bundled", async () => {
    write("shared/word.ts", "export const = 1;");
    for (let times = 0; times < 2; times += 1) {
      const failed: unknown = await keep().catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
    }
    write("shared/word.ts", `export const word = "three";`);
    expect(await keep()).to.deep.equal({ isNew: true, output: "three\n" });
  });
});
