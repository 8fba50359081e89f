import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkPostgresLibraries } from "../postgres/find-postgres-binaries.ts";

const COUNT = 2_000;

describe("linkPostgresLibraries", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tarsy-links-"));
    await mkdir(join(folder, "native"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const listLinks = async (links: readonly unknown[]): Promise<void> =>
    writeFile(join(folder, "native/pg-symlinks.json"), JSON.stringify(links));

  it("completes the libraries while other processes complete them too", async () => {
    await writeFile(join(folder, "native/libx.so.1.2"), "");
    const names = Array.from({ length: COUNT }, (_, i) => `native/libx.so.${i}`);
    await listLinks(names.map((target) => ({ source: "native/libx.so.1.2", target })));

    const module = join(import.meta.dirname, "../postgres/find-postgres-binaries.ts");
    // They begin together, once all have said that they are there.
    const program = `import { linkPostgresLibraries as link } from ${JSON.stringify(module)};
      process.stdout.write("ready");
      process.stdin.once("data", () => link(process.argv[1] ?? ""));`;
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--input-type=module-typescript", "--eval", program, folder], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const exits = processes.map(async (child) => once(child, "exit"));
    await Promise.all(processes.map(async ({ stdout }) => once(stdout, "data")));
    for (const { stdin } of processes) stdin.end("begin");
    for (const [code] of await Promise.all(exits)) assert.equal(code, 0);
    for (const name of names) assert.equal(await readlink(join(folder, name)), "libx.so.1.2");
  });

  it("reports a link that cannot be created", async () => {
    await listLinks([{ source: "native/libx.so.1.2", target: "no-such-folder/libx.so" }]);
    assert.throws(() => linkPostgresLibraries(folder), { code: "ENOENT" });
  });
});
