import { expect } from "chai";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeLock } from "../process/file-lock.mjs";
import { processIdentity } from "../process/process-identity.mjs";

describe("takeLock", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsy-lock-"));
  const path = join(folder, "test.lock");
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => rmSync(path, { force: true }));

  it("gives the lock to one process and returns it as the holder to the next", () => {
    const taken = takeLock(path);
    expect(taken).to.have.property("lock");
    expect(takeLock(path)).to.have.nested.property("holder.identity.pid", process.pid);
    if ("lock" in taken) taken.lock.release();
    expect(existsSync(path)).to.equal(false);
  });

  it("reports that the holder is stopping", () => {
    const taken = takeLock(path);
    if ("lock" in taken) taken.lock.markStopping();
    expect(takeLock(path)).to.have.nested.property("holder.stopping", true);
  });

  it("takes the lock of a dead process, also if another process has its pid", () => {
    const started = `${processIdentity(process.pid)?.started ?? ""}-earlier`;
    writeFileSync(path, JSON.stringify({ pid: process.pid, started, since: "yesterday" }));
    expect(takeLock(path)).to.have.property("lock");
  });

  it("takes a half-written lock", () => {
    writeFileSync(path, '{"pid": 1');
    expect(takeLock(path)).to.have.property("lock");
  });

  it("does not take the lock of a running process", async () => {
    const child = spawn("sleep", ["60"]);
    try {
      writeFileSync(path, JSON.stringify({ ...processIdentity(child.pid ?? 0), since: "now" }));
      expect(takeLock(path)).to.have.nested.property("holder.identity.pid", child.pid);
    } finally {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    }
    expect(takeLock(path)).to.have.property("lock");
  });

  it("gives the lock of a dead process to only one of many concurrent processes", async () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: "earlier", since: "yesterday" }));
    const contender = `
      import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "../process/file-lock.mjs"))};
      console.log("lock" in takeLock(${JSON.stringify(path)}) ? "won" : "lost");
      process.stdin.resume();`;
    const contenders = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", contender], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      return { child, said: once(child.stdout, "data").then(() => text.trim()) };
    });
    const said = await Promise.all(contenders.map(async (one) => one.said));
    const ends = contenders.map(async ({ child }) => once(child, "exit"));
    for (const { child } of contenders) child.stdin.end();
    await Promise.all(ends);
    expect(said.filter((word) => word === "won")).to.have.length(1);
    expect(readdirSync(folder)).to.deep.equal(["test.lock"]);
    expect(readFileSync(path, "utf8")).to.include("since");
  });
});
