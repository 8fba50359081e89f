import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const INSTALLED = [".", "lab/bench/versus/peers"];
const loose = { additionalProperties: true } as const;

const parseLock = compileParser(
  "lock file",
  Type.Object(
    {
      packages: Type.Record(
        Type.String(),
        Type.Object(
          {
            hasInstallScript: Type.Optional(Type.Boolean()),
            integrity: Type.Optional(Type.String()),
            resolved: Type.Optional(Type.String()),
          },
          loose,
        ),
      ),
    },
    loose,
  ),
);
const parsePackage = compileParser(
  "package.json",
  Type.Object({ allowScripts: Type.Record(Type.String(), Type.Boolean()) }, loose),
);
const parseSbom = compileParser(
  "SBOM",
  Type.Object(
    {
      bomFormat: Type.Literal("CycloneDX"),
      components: Type.Array(
        Type.Object({ name: Type.String(), hashes: Type.Array(Type.Unknown(), { minItems: 1 }) }, loose),
      ),
    },
    loose,
  ),
);

const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(ROOT, name), "utf8"));

describe("the supply chain", () => {
  it("runs no install script, and names every package that has one", async () => {
    for (const folder of INSTALLED) {
      const { packages } = parseLock(await json(join(folder, "package-lock.json")));
      const withScript = Object.entries(packages).filter(
        ([, { hasInstallScript }]) => hasInstallScript === true,
      );
      const names = withScript.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13));
      const { allowScripts } = parsePackage(await json(join(folder, "package.json")));
      expect(Object.keys(allowScripts)).to.have.members([...new Set(names)]);
      expect(new Set(Object.values(allowScripts))).to.deep.equal(new Set([false]));
    }
    expect(await readFile(join(ROOT, ".npmrc"), "utf8")).to.match(/^ignore-scripts=true$/mu);
    expect(await readFile(join(ROOT, "launcher/prepare.mjs"), "utf8")).to.include('"--ignore-scripts"');
    expect(await readFile(join(ROOT, "deploy/Containerfile"), "utf8")).to.include("npm ci --ignore-scripts");
  });

  it("has a hash for every package", async () => {
    for (const directory of INSTALLED) {
      const { packages } = parseLock(await json(join(directory, "package-lock.json")));
      for (const [folder, { integrity }] of Object.entries(packages)) {
        if (folder !== "") expect(integrity, folder).to.match(/^sha512-/u);
      }
    }
  });

  it("puts into the image a list of what the bundles are made of", async () => {
    const containerfile = await readFile(join(ROOT, "deploy/Containerfile"), "utf8");
    const command = /^RUN npm (?<args>sbom .*) > \/bundles\/sbom\.cdx\.json$/mu.exec(containerfile)?.groups?.[
      "args"
    ];
    const { stdout } = await run("npm", (command ?? "").split(" "), {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    const { components } = parseSbom(JSON.parse(stdout));
    const names = components.map(({ name }) => name);
    expect(names).to.include.members(["koa", "pg", "ws", "@grpc/grpc-js"]);
    const mocha = components.find(({ name }) => name === "mocha");
    expect(JSON.stringify(mocha)).to.include("development");
    expect(containerfile).to.include("dpkg-query --show > sbom.debian.txt");
  });

  it("pins the versions of Debian's packages in the image", async () => {
    const containerfile = await readFile(join(ROOT, "deploy/Containerfile"), "utf8");
    const installs = [...containerfile.matchAll(/apt-get install -y --no-install-recommends (.*)$/gmu)];
    expect(installs).to.have.length(1);
    for (const [, packages = ""] of installs) {
      for (const one of packages.split(" ")) expect(one).to.match(/^"?[a-z0-9.+-]+=\d/u);
    }
  });

  it("gets the digests of the base images from the registry where there is one", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-pin-"));
    const digest = `sha256:${"0a".repeat(32)}`;
    try {
      for (const name of ["pin-images.sh", "podman-compose.yml"]) {
        await copyFile(join(ROOT, "deploy", name), join(directory, name));
      }
      // A registry cannot be reached from every machine: this one answers with a digest for every image.
      await writeFile(join(directory, "podman"), `#!/bin/sh\n[ "$1" = pull ] || echo ${digest}\n`, {
        mode: 0o755,
      });
      const env = { PATH: `${directory}:${process.env["PATH"]}` };
      // A second run replaces what the first one wrote.
      for (const _round of [1, 2]) await run(join(directory, "pin-images.sh"), [], { env });
      const images = [
        ...(await readFile(join(directory, "podman-compose.yml"), "utf8")).matchAll(
          /docker\.io\/library\/(\S+)/gu,
        ),
      ].map(([, image]) => image);
      expect(images).to.have.length(4);
      for (const image of images) expect(image).to.match(new RegExp(`^[a-z]+:[\\w.-]+@${digest}$`, "u"));
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
