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
import { installPack, type Pack } from "../packs/install-pack.ts";
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
      JSON.stringify({ name: "hello-server", version: "1.2.3", scripts: { install: "touch ran" } }),
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

  const pack = (changes: Partial<Pack["packages"][string]> = {}, version = "1.2.3"): Pack => ({
    name: "hello",
    command: "hello-command",
    version,
    size: "1 kB",
    packages: {
      [PLATFORM]: { name: "hello-server", integrity: registry.integrity, program: "bin/hello", ...changes },
    },
  });
  const packs = () => join(directory, "packs");
  const install = async (one: Pack, signal = new AbortController().signal) =>
    installPack(one, {
      directory: packs(),
      env: {
        ...process.env,
        npm_config_registry: `${registry.url}/`,
        npm_config_cache: join(directory, "cache"),
      },
      signal,
      progress: (line) => lines.push(line),
    });

  it("refuses files with another hash and leaves nothing behind", async () => {
    const error = await rejectionOf(install(pack({ integrity: `sha512-${"A".repeat(86)}==` })));
    expect(error).to.include("npm could not install it").and.include("ntegrity");
    expect(readdirSync(packs())).to.deep.equal([]);
  });

  it("installs the exact version, runs no script of it, and links its program", async () => {
    await install(pack());
    expect(execFileSync(join(packs(), "bin", "hello-command"), { encoding: "utf8" })).to.equal("hello\n");
    expect(existsSync(join(packs(), "hello/node_modules/hello-server/ran"))).to.equal(false);
    expect(lines.at(-1)).to.include("installing hello-command 1.2.3 (1 kB)");
  });

  it("installs it once", async () => {
    const asked = registry.paths.length;
    await install(pack());
    expect(registry.paths).to.have.length(asked);
    expect(await rejectionOf(install(pack({}, "9.9.9")))).to.include("npm could not install it");
    // The version before stays.
    expect(execFileSync(join(packs(), "bin", "hello-command"), { encoding: "utf8" })).to.equal("hello\n");
  });

  it("says that there is no build for a platform, and ends when it is aborted", async () => {
    expect(await rejectionOf(install({ ...pack(), packages: {} }))).to.equal(
      `no build of hello-command for ${PLATFORM} is known: put one on the PATH`,
    );
    const stop = new AbortController();
    const installing = install({ ...pack(), name: "other" }, stop.signal);
    stop.abort(new Error("enough"));
    expect(await rejectionOf(installing)).to.equal("enough");
  });
});
