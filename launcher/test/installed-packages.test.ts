import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countInstalled, isInstalled, planInstallation, stampInstalled } from "../installed-packages.mjs";

describe("isInstalled", () => {
  let root = "";
  const writeLock = (folder: string, versions: Record<string, object>): void => {
    const name = folder === root ? "package-lock.json" : ".package-lock.json";
    writeFileSync(join(folder, name), JSON.stringify({ packages: versions }));
  };
  const wanted = {
    "": { version: "0.1.0" },
    "node_modules/pg": { version: "8.0.0" },
    "node_modules/only-on-a-mac": { version: "1.0.0", optional: true },
    "node_modules/mocha": { version: "12.0.0", dev: true },
  };
  const running = { "node_modules/pg": { version: "8.0.0" } };
  const all = { ...running, "node_modules/mocha": { version: "12.0.0" } };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tarsy-installed-"));
    writeLock(root, wanted);
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const makeModules = (): string => {
    const folder = join(root, "node_modules");
    mkdirSync(folder);
    return folder;
  };

  it("is false if nothing is installed", () => {
    expect(isInstalled(root, "running")).to.equal(false);
    makeModules();
    expect(isInstalled(root, "running")).to.equal(false);
  });

  it("trusts its stamp until package-lock.json changes", () => {
    makeModules();
    stampInstalled(root, "all");
    expect(isInstalled(root, "all")).to.equal(true);
    expect(isInstalled(root, "running")).to.equal(true);
    writeLock(root, { ...wanted, "node_modules/pg": { version: "9.0.0" } });
    expect(isInstalled(root, "running")).to.equal(false);
    expect(planInstallation(root, "running")).to.deep.equal({ set: "all", way: "replace" });
  });

  it("trusts npm's record after a manual npm run", () => {
    const folder = makeModules();
    writeLock(folder, running);
    expect(isInstalled(root, "running")).to.equal(true);
    expect(isInstalled(root, "all")).to.equal(false);
    expect(planInstallation(root, "all")).to.deep.equal({ set: "all", way: "extend" });
    writeLock(folder, all);
    expect(isInstalled(root, "all")).to.equal(true);
  });

  it("installs everything anew after npm was killed while it added packages", () => {
    writeLock(makeModules(), running);
    stampInstalled(root, "extending");
    expect(isInstalled(root, "running")).to.equal(true);
    expect(isInstalled(root, "all")).to.equal(false);
    expect(planInstallation(root, "all")).to.deep.equal({ set: "all", way: "replace" });
  });

  it("is false if npm's record has another version or lacks a package", () => {
    const folder = makeModules();
    writeLock(folder, { "node_modules/pg": { version: "7.9.0" } });
    expect(isInstalled(root, "running")).to.equal(false);
    writeLock(folder, {});
    expect(isInstalled(root, "running")).to.equal(false);
  });
});

describe("countInstalled", () => {
  it("counts the packages that are unpacked, without optional ones", () => {
    const root = mkdtempSync(join(tmpdir(), "tarsy-installed-"));
    const packages = {
      "": { version: "0.1.0" },
      "node_modules/pg": { version: "8.0.0" },
      "node_modules/pg/node_modules/pg-types": { version: "2.0.0" },
      "node_modules/only-on-a-mac": { version: "1.0.0", optional: true },
      "node_modules/mocha": { version: "12.0.0", dev: true },
    };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
    expect(countInstalled(root, "all")).to.deep.equal({ installed: 0, all: 3 });
    mkdirSync(join(root, "node_modules/pg"), { recursive: true });
    expect(countInstalled(root, "running")).to.deep.equal({ installed: 0, all: 2 });
    writeFileSync(join(root, "node_modules/pg/package.json"), "{}");
    expect(countInstalled(root, "running")).to.deep.equal({ installed: 1, all: 2 });
    rmSync(root, { recursive: true });
  });
});
