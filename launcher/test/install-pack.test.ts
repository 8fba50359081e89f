import { createHash } from "node:crypto";
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
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { installPack, type PackServer } from "../packs/install-pack.ts";
import { rejectionOf } from "./rejection-of.ts";

const PLATFORM = `${process.platform}-${process.arch}`;

/** A registry of npm on this machine with one package, which has a program. */
class Registry {
  readonly tarball: Buffer;
  readonly server: Server;
  readonly paths: string[] = [];
  url = "";

  constructor(directory: string) {
    const folder = join(directory, "package");
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        name: "hello-server",
        version: "1.2.3",
        scripts: { install: "touch ran" },
        bin: { "hello-command": "bin/hello" },
      }),
    );
    writeFileSync(join(folder, "bin", "hello"), "#!/bin/sh\necho hello\n");
    execFileSync("tar", ["-czf", join(directory, "p.tgz"), "-C", directory, "package"]);
    this.tarball = readFileSync(join(directory, "p.tgz"));
    this.server = createServer((request, response) => {
      this.paths.push(request.url ?? "");
      if (request.url?.endsWith(".tgz") === true) response.end(this.tarball);
      else response.end(JSON.stringify(this.#listing()));
    });
  }

  get integrity(): string {
    return `sha512-${createHash("sha512").update(this.tarball).digest("base64")}`;
  }

  #listing(): object {
    const dist = { tarball: `${this.url}/hello-server-1.2.3.tgz`, integrity: this.integrity };
    const version = { name: "hello-server", version: "1.2.3", dist };
    return { name: "hello-server", "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } };
  }
}

describe("installPack", () => {
  let directory: string;
  let registry: Registry;
  const lines: string[] = [];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "tarsy-pack-"));
    registry = new Registry(directory);
    await listen(registry.server, { host: "127.0.0.1", port: 0 });
    const address = registry.server.address();
    registry.url = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  });
  after(async () => {
    registry.server.close();
    await once(registry.server, "close");
    rmSync(directory, { recursive: true });
  });

  const server = (changes: Partial<PackServer> = {}): PackServer => ({
    name: "hello-server",
    version: "1.2.3",
    from: "npm",
    integrity: registry.integrity,
    bin: "hello-command",
    ...changes,
  });
  const packs = () => join(directory, "packs");
  const install = async (
    one: PackServer,
    { name = "hello", signal = new AbortController().signal, isLocked = true } = {},
  ) => {
    const { version, integrity } = one;
    const lock = {
      "": { dependencies: { [one.name]: version } },
      [`node_modules/${one.name}`]: { version, integrity },
    };
    const path = join(directory, `${name}.lock.json`);
    rmSync(path, { force: true });
    if (isLocked) writeFileSync(path, JSON.stringify({ lockfileVersion: 3, packages: lock }));
    const pack = { pack: name, server: one, transport: { type: "stdio" as const }, tools: {} };
    return installPack(
      { pack, folder: directory },
      {
        directory: packs(),
        env: {
          ...process.env,
          npm_config_registry: `${registry.url}/`,
          npm_config_cache: join(directory, "cache"),
        },
        signal,
        progress: (line) => lines.push(line),
      },
    );
  };
  const says = () => execFileSync(join(packs(), "bin", "hello-command"), { encoding: "utf8" });

  for (const isLocked of [true, false]) {
    it(`refuses files with another hash and leaves nothing behind, ${isLocked ? "with" : "without"} a lock file`, async () => {
      const other = server({ integrity: `sha512-${"A".repeat(86)}==` });
      const error = await rejectionOf(install(other, { isLocked }));
      expect(error).to.match(
        isLocked ? /npm could not install it.*ntegrity/u : /hello-server is 1.2.3 with sha512-.*, not/u,
      );
      expect(readdirSync(packs())).to.deep.equal([]);
    });
  }

  it("refuses a lock file of another version", async () => {
    writeFileSync(join(directory, "hello.lock.json"), JSON.stringify({ packages: {} }));
    const pack = { pack: "hello", server: server(), transport: { type: "stdio" as const }, tools: {} };
    const { signal } = new AbortController();
    const options = { directory: packs(), env: {}, signal, progress: () => undefined };
    expect(await rejectionOf(installPack({ pack, folder: directory }, options))).to.include(
      "is missing with no hash",
    );
  });

  it("installs the exact version, runs no script of it, and links its program", async () => {
    mkdirSync(join(packs(), ".hello-999999"), { recursive: true });
    await install(server());
    expect(says()).to.equal("hello\n");
    expect(existsSync(join(packs(), "hello/node_modules/hello-server/ran"))).to.equal(false);
    expect(lines.at(-1)).to.include("installing hello-server 1.2.3 in ");
    // What a killed installation left is gone.
    expect(readdirSync(packs()).sort()).to.deep.equal(["bin", "hello"]);
  });

  it("installs it once", async () => {
    const asked = registry.paths.length;
    await install(server());
    expect(registry.paths).to.have.length(asked);
    expect(await rejectionOf(install(server({ version: "9.9.9" })))).to.include("npm could not install it");
    // The version before stays.
    expect(says()).to.equal("hello\n");
  });

  it("links the program that a pack names for this platform", async () => {
    await install(server({ programs: { [PLATFORM]: "hello-server/bin/hello" } }));
    expect(says()).to.equal("hello\n");
  });

  it("says that there is no build for a platform, and ends when it is aborted", async () => {
    expect(await rejectionOf(install(server({ programs: {} })))).to.equal(
      `no build of hello-command for ${PLATFORM} is known: put one on the PATH`,
    );
    const stop = new AbortController();
    const installing = install(server(), { name: "other", signal: stop.signal });
    stop.abort(new Error("enough"));
    expect(await rejectionOf(installing)).to.equal("enough");
  });

  it("says which Python a pack of PyPI needs, and that its list of hashes is missing", async () => {
    const python = { from: "pypi", python: "3.99" } as const;
    const { signal } = new AbortController();
    const options = {
      directory: packs(),
      env: { PATH: process.env["PATH"] },
      signal,
      progress: () => undefined,
    };
    const pack = { pack: "py", server: server(python), transport: { type: "stdio" as const }, tools: {} };
    const installing = () => installPack({ pack, folder: directory }, options);
    expect(await rejectionOf(installing())).to.include("py.requirements.txt is missing");
    writeFileSync(join(directory, "py.requirements.txt"), "");
    expect(await rejectionOf(installing())).to.match(/^py needs Python 3\.99: /u);
  });
});
