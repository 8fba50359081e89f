import { createHash } from "node:crypto";
import { execFileSync, spawn } from "node:child_process";
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
import { NIGHTLY } from "../../test/support/nightly.ts";
import { until } from "../../test/support/until.ts";
import { installPack, type PackServer, removePack } from "../packs/install-pack.ts";
import { rejectionOf } from "./rejection-of.ts";

/** Every write in the nightly run. */
const KILL_STEP = NIGHTLY ? 1 : 5;
const KILL_AT_WRITE = join(import.meta.dirname, "../../test/support/kill-at-write.ts");
const PLATFORM = `${process.platform}-${process.arch}`;

/** A registry of npm on this machine with one package, which has a program. */
class Registry {
  readonly tarball: Buffer;
  readonly server: Server;
  readonly paths: string[] = [];
  /** The package is sent after this. */
  gate: Promise<void> = Promise.resolve();
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
      if (request.url?.endsWith(".tgz") === true) void this.gate.then(() => response.end(this.tarball));
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

describe("installPack", function () {
  this.timeout(120_000);
  let directory: string;
  let registry: Registry;
  const lines: string[] = [];
  const waiting = { signal: new AbortController().signal, progress: () => undefined };

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
  const foundPack = (one: PackServer, name: string) => ({
    pack: { pack: name, server: one, transport: { type: "stdio" as const }, tools: {} },
    folder: directory,
  });
  const environment = () => ({
    ...process.env,
    npm_config_registry: `${registry.url}/`,
    npm_config_cache: join(directory, "cache"),
  });
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
    const progress = (line: string) => lines.push(line);
    return installPack(foundPack(one, name), { directory: packs(), env: environment(), signal, progress });
  };
  /** Starts the same in a process, which is killed at this write. */
  const start = (one: PackServer, { at = 0, isRemoval = false, cache = "cache" } = {}) => {
    const { pack } = foundPack(one, "hello");
    writeFileSync(join(directory, "hello.yaml"), JSON.stringify({ ...pack, unlisted: true }));
    const program = join(import.meta.dirname, "install-pack-process.ts");
    const asked = [directory, "hello", packs(), isRemoval ? "remove" : "install"];
    const args = ["--import", KILL_AT_WRITE, program, ...asked];
    const kill = { KILL_AT: String(at), KILL_BELOW: packs(), npm_config_cache: join(directory, cache) };
    return spawn(process.execPath, args, { env: { ...environment(), ...kill }, stdio: "ignore" });
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
    const options = { directory: packs(), env: {}, ...waiting };
    expect(await rejectionOf(installPack(foundPack(server(), "hello"), options))).to.include(
      `is missing with no hash, not 1.2.3 with ${registry.integrity}: delete the lock file beside the pack`,
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

  it("refuses a program of the name that another pack's has, and leaves that one", async () => {
    expect(await rejectionOf(install(server(), { name: "other" }))).to.include(
      "hello-command is the program of the pack hello in",
    );
    await removePack(foundPack(server(), "other").pack, { directory: packs(), ...waiting });
    expect(says()).to.equal("hello\n");
  });

  it("is done once for two at once, of which the second waits", async () => {
    const asked = registry.paths.length;
    const one = server({ bin: "twice", programs: { [PLATFORM]: "hello-server/bin/hello" } });
    await Promise.all([install(one, { name: "twice" }), install(one, { name: "twice" })]);
    expect(registry.paths.length - asked).to.be.lessThan(3);
    expect(lines).to.include(`process ${process.pid} is at it already: waiting for its end`);
    await removePack(foundPack(one, "twice").pack, { directory: packs(), ...waiting });
    expect(readdirSync(packs()).sort()).to.deep.equal(["bin", "hello"]);
  });

  for (const isRemoval of [false, true]) {
    it(`succeeds after ${isRemoval ? "a removal" : "it"} was killed at any write`, async () => {
      let kills = 0;
      for (let at = 2; ; at += KILL_STEP) {
        // The same version is not installed again.
        if (!isRemoval) await install(server({ programs: { [PLATFORM]: "hello-server/bin/hello" } }));
        const child = start(server(), { at, isRemoval });
        await once(child, "exit");
        const isWhole = child.exitCode === 0;
        if (!isWhole) expect(child.signalCode).to.equal("SIGKILL");
        await install(server());
        expect(says(), `after the kill at write ${at}`).to.equal("hello\n");
        expect(readdirSync(packs()).filter((name) => name.startsWith(".hello-"))).to.deep.equal([]);
        if (isWhole) break;
        kills += 1;
      }
      expect(kills).to.be.greaterThan(1);
    });
  }

  it("succeeds after it was killed while npm was at work", async () => {
    const gate = Promise.withResolvers<void>();
    registry.gate = gate.promise;
    await removePack(foundPack(server(), "hello").pack, { directory: packs(), ...waiting });
    const asked = registry.paths.length;
    const child = start(server(), { cache: "empty" });
    await until("npm asks for the package", () =>
      Promise.resolve(registry.paths.slice(asked).some((path) => path.endsWith(".tgz"))),
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    gate.resolve();
    await install(server());
    expect(says()).to.equal("hello\n");
  });

  it("says that there is no build for a platform, and ends when it is aborted", async () => {
    expect(await rejectionOf(install(server({ programs: {} })))).to.equal(
      `no build of hello-command for ${PLATFORM} is known: put one on the PATH`,
    );
    const stop = new AbortController();
    const installing = install(server({ bin: "other" }), { name: "other", signal: stop.signal });
    stop.abort(new Error("enough"));
    expect(await rejectionOf(installing)).to.equal("enough");
  });

  it("says which Python a pack of PyPI needs, and what its list of hashes lacks", async () => {
    const python = { from: "pypi", python: "3.99", bin: "py" } as const;
    const options = { directory: packs(), env: { PATH: process.env["PATH"] }, ...waiting };
    const installing = () => installPack(foundPack(server(python), "py"), options);
    expect(await rejectionOf(installing())).to.include("py.requirements.txt is missing");
    writeFileSync(join(directory, "py.requirements.txt"), "hello-server==1.2.30 \\\n");
    expect(await rejectionOf(installing())).to.include("does not have hello-server==1.2.3: make it again");
    writeFileSync(join(directory, "py.requirements.txt"), "Hello_Server[cli]==1.2.3 \\\n");
    expect(await rejectionOf(installing())).to.match(/^py needs Python 3\.99: /u);
  });
});
