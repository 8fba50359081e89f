import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { linkPostgresLibraries } from "../postgres/link-postgres-libraries.ts";

const run = promisify(execFile);
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

    const module = join(import.meta.dirname, "../postgres/link-postgres-libraries.ts");
    // All processes begin at the same millisecond.
    const program = `import { linkPostgresLibraries as link } from ${JSON.stringify(module)};
      while (Date.now() < Number(process.argv[1]));
      link(process.argv[2] ?? "");`;
    const start = String(Date.now() + 2_000);
    const processes = Array.from({ length: 4 }, async () =>
      run(process.execPath, ["--input-type=module-typescript", "--eval", program, start, folder]),
    );

    await Promise.all(processes);
    for (const name of names) assert.equal(await readlink(join(folder, name)), "libx.so.1.2");
  });

  it("reports a link that cannot be created", async () => {
    await listLinks([{ source: "native/libx.so.1.2", target: "no-such-folder/libx.so" }]);
    assert.throws(() => linkPostgresLibraries(folder), { code: "ENOENT" });
  });
});
