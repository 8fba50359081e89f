import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { runMigrate } from "../run-migrate.ts";
import { rejectionOf } from "./rejection-of.ts";

describe("runMigrate", () => {
  const directory = mkdtempSync(join(tmpdir(), "tarsy-migrate-"));
  const lines: string[] = [];
  after(() => rmSync(directory, { recursive: true }));

  const run = async (
    program: string,
    { signal = new AbortController().signal, ownData }: { signal?: AbortSignal; ownData?: string } = {},
  ): Promise<void> => {
    const entry = join(directory, "main.ts");
    writeFileSync(entry, program);
    lines.length = 0;
    await runMigrate({
      entry,
      compileCacheDir: join(directory, "cache"),
      cwd: directory,
      env: { WORD: "done" },
      ownData,
      signal,
      onLine: (line) => lines.push(line),
    });
  };

  it("resolves once the program has ended, with its own environment", async () => {
    await run("console.log(process.env.WORD, process.env.PATH)");
    expect(lines).to.deep.equal(["done undefined"]);
  });

  it("rejects with the last lines of a program that fails", async () => {
    const message = await rejectionOf(run("console.error('no disk space'); process.exit(3)"));
    expect(message)
      .to.include("migrate cannot bring the database to this version (exit code 3)")
      .and.include("no disk space");
  });

  it("names the directory of a database that cannot be used, if the launcher runs it", async () => {
    const refuse = "console.error('the schema of the database is another'); process.exit(78)";
    expect(await rejectionOf(run(refuse, { ownData: "/data/here" })))
      .to.include("the schema of the database is another")
      .and.include("move /data/here away, or delete it by `npm start -- --reset`");
    expect(await rejectionOf(run(refuse))).not.to.include("--reset");
  });

  it("ends the program when the start is given up", async () => {
    const stop = new AbortController();
    const running = run("console.log(1); setInterval(() => {}, 1000)", { signal: stop.signal });
    stop.abort(new Error("stopped by the user"));
    expect(await rejectionOf(running)).to.equal("stopped by the user");
  });
});
