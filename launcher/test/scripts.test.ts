import { build } from "esbuild";
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parsePackage = compileParser(
  "package",
  Type.Object({
    scripts: Type.Record(Type.String(), Type.String()),
    dependencies: Type.Record(Type.String(), Type.String()),
  }),
);

/** Stands for the installation: from then on there is another `node` in node_modules/.bin. */
const PREPARE = `
import { writeFileSync } from "node:fs";
writeFileSync("node_modules/.bin/node", "#!/bin/sh\\necho installed\\n", { mode: 0o755 });`;

describe("the scripts of package.json", () => {
  const root = join(import.meta.dirname, "../..");
  const { scripts, dependencies } = parsePackage(
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  );
  const prepared = Object.entries(scripts).filter(([, text]) => /prepare\.mjs.*&&.*\bnode /u.test(text));

  // A shell remembers where it found a command: `node` after the installation would be the system's, which may be too old.
  for (const [name, text] of prepared) {
    it(`${name} runs with the Node.js that its preparation installed`, () => {
      const folder = mkdtempSync(join(tmpdir(), "tarsy-scripts-"));
      try {
        mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
        mkdirSync(join(folder, "launcher"));
        writeFileSync(join(folder, "launcher/prepare.mjs"), PREPARE);
        const PATH = [join(folder, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(
          delimiter,
        );
        const output = execFileSync("sh", ["-c", text], { cwd: folder, env: { PATH }, encoding: "utf8" });
        expect(output).to.match(/^(installed\n)+$/u);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it("that prepare what running needs load no package of development, and no more do the services", async () => {
    const commands = Object.values(scripts).filter((text) => text.includes("--running-only"));
    const started = commands.flatMap((text) => /\bnode ([^ ]+\.ts)/u.exec(text)?.[1] ?? []);
    expect(started).to.have.length(commands.length);
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [
        "launcher/main.ts",
        "services/web/main.tsx",
        ...globSync("services/*/main.ts", { cwd: root }),
        ...started,
      ],
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      write: false,
      outdir: "unused",
      metafile: true,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const names = imports.filter(({ external, path }) => external === true && !isBuiltin(path));
    const loaded = new Set(names.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ?? path));
    expect(loaded).to.include("koa");
    expect([...loaded].filter((name) => !(name in dependencies))).to.deep.equal([]);
  });

  it("are found", () => {
    expect(prepared.map(([name]) => name)).to.include.members(["tarsy", "alert", "test:stack", "bench"]);
  });
});
