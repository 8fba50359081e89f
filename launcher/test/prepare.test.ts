import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../prepare.mjs";
import { takeLock } from "../process/file-lock.mjs";
import { projectPaths } from "../project-paths.ts";

/** A checkout of the preparation with a package to run, a Node and a package of tests, which are files in it: npm asks no registry. */
class Checkout implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "tarsy-prepare-"));
  readonly #packages: Record<string, object> = {};
  readonly #manifest: Record<"dependencies" | "devDependencies", Record<string, string>> = {
    dependencies: {},
    devDependencies: {},
  };

  constructor() {
    for (const path of ["prepare.mjs", "installed-packages.mjs", "process"]) {
      cpSync(join(projectRoot, "launcher", path), join(this.root, "launcher", path), { recursive: true });
    }
    this.pack("to-run", "dependencies", { "main.js": "", "lib/main.js.map": "{}" });
    this.pack("node-other", "dependencies", { "bin/node": "", "include/node.h": "" });
    this.pack("to-test", "devDependencies", { "main.js": "", "main.js.map": "{}" });
  }

  /** Adds a package, or a new version of it, to package.json and package-lock.json. */
  pack(
    name: string,
    kind: "dependencies" | "devDependencies",
    files: Record<string, string>,
    version = "1.0.0",
  ): void {
    const parent = mkdtempSync(join(this.root, "source-"));
    for (const [path, text] of Object.entries({
      ...files,
      "package.json": JSON.stringify({ name, version }),
    })) {
      const file = join(parent, "package", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const tarball = `${name}-${version}.tgz`;
    execFileSync("tar", ["-czf", join(this.root, tarball), "-C", parent, "package"]);
    const resolved = `file:${tarball}`;
    const hash = createHash("sha512")
      .update(readFileSync(join(this.root, tarball)))
      .digest("base64");
    this.#manifest[kind][name] = resolved;
    this.#packages[`node_modules/${name}`] = {
      version,
      resolved,
      integrity: `sha512-${hash}`,
      ...(kind === "devDependencies" && { dev: true }),
    };
    const project = { name: "checkout", version: "0.1.0", ...this.#manifest };
    writeFileSync(join(this.root, "package.json"), JSON.stringify(project));
    const lock = { name: "checkout", version: "0.1.0", lockfileVersion: 3, requires: true };
    const packages = { "": project, ...this.#packages };
    writeFileSync(join(this.root, "package-lock.json"), JSON.stringify({ ...lock, packages }));
  }

  /** Runs the preparation; the exit code and the output. */
  prepare(flag: "--running-only" | "--dependencies-only"): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(this.root, "launcher/prepare.mjs"), flag],
      {
        env: { ...process.env, npm_config_cache: join(this.root, "cache"), npm_config_offline: "true" },
        encoding: "utf8",
      },
    );
    return { status, output: stdout + stderr };
  }

  has(path: string): boolean {
    return existsSync(join(this.root, "node_modules", path));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}

describe("prepare", () => {
  it("leaves the packages alone while TARSy runs with them", () => {
    using checkout = new Checkout();
    expect(takeLock(projectPaths(checkout.root).lock)).to.have.property("lock");
    const { status, output } = checkout.prepare("--running-only");
    expect(output).to.include(`(process ${process.pid}): stop it, then run this again`);
    expect(status).to.equal(1);
  });

  it("installs what running needs, adds the rest beside a TARSy that runs, and keeps it", () => {
    using checkout = new Checkout();
    expect(checkout.prepare("--running-only").output).to.include("0.4 GB");
    expect(["to-run/main.js", "node-other/bin/node"].every((path) => checkout.has(path))).to.equal(true);
    const unread = ["to-test", "to-run/lib/main.js.map", "node-other/include"];
    expect(unread.filter((path) => checkout.has(path))).to.deep.equal([]);
    expect(checkout.prepare("--running-only")).to.deep.equal({ status: 0, output: "" });

    // Without that package, as without a network: what runs stays.
    const tarball = join(checkout.root, "to-test-1.0.0.tgz");
    const content = readFileSync(tarball);
    rmSync(tarball);
    const failed = checkout.prepare("--dependencies-only");
    expect(failed.output).to.include("could not be installed (npm install --no-save: exit code");
    expect(failed.status).to.equal(1);
    expect(checkout.prepare("--running-only")).to.deep.equal({ status: 0, output: "" });
    expect(checkout.has("to-run/main.js")).to.equal(true);

    writeFileSync(tarball, content);
    const lock = readFileSync(join(checkout.root, "package-lock.json"));
    const running = takeLock(projectPaths(checkout.root).lock);
    const added = checkout.prepare("--dependencies-only");
    expect(added.status, added.output).to.equal(0);
    expect(["to-run/main.js", "to-test/main.js.map"].every((path) => checkout.has(path))).to.equal(true);
    expect(readFileSync(join(checkout.root, "package-lock.json"))).to.deep.equal(lock);
    if ("lock" in running) running.lock.release();

    checkout.pack("to-run", "dependencies", { "main.js": "new" }, "1.1.0");
    expect(checkout.prepare("--running-only").status).to.equal(0);
    expect(readFileSync(join(checkout.root, "node_modules/to-run/main.js"), "utf8")).to.equal("new");
    expect(checkout.has("to-test/main.js")).to.equal(true);
  });
});
