import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countInstalled, isInstalled, stampInstalled } from "../installed-packages.mjs";

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
  };
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
    expect(isInstalled(root)).to.equal(false);
    makeModules();
    expect(isInstalled(root)).to.equal(false);
  });

  it("trusts its stamp until package-lock.json changes", () => {
    makeModules();
    stampInstalled(root);
    expect(isInstalled(root)).to.equal(true);
    writeLock(root, { ...wanted, "node_modules/pg": { version: "9.0.0" } });
    expect(isInstalled(root)).to.equal(false);
  });

  it("trusts npm's record after a manual npm run", () => {
    writeLock(makeModules(), { "node_modules/pg": { version: "8.0.0" } });
    expect(isInstalled(root)).to.equal(true);
  });

  it("is false if npm's record has another version or lacks a package", () => {
    const folder = makeModules();
    writeLock(folder, { "node_modules/pg": { version: "7.9.0" } });
    expect(isInstalled(root)).to.equal(false);
    writeLock(folder, {});
    expect(isInstalled(root)).to.equal(false);
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
    };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
    expect(countInstalled(root)).to.deep.equal({ installed: 0, all: 2 });
    mkdirSync(join(root, "node_modules/pg"), { recursive: true });
    expect(countInstalled(root)).to.deep.equal({ installed: 0, all: 2 });
    writeFileSync(join(root, "node_modules/pg/package.json"), "{}");
    expect(countInstalled(root)).to.deep.equal({ installed: 1, all: 2 });
    rmSync(root, { recursive: true });
  });
});
