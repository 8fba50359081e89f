import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Client } from "pg";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { copyKeptCluster } from "../postgres/copy-kept-cluster.ts";
import { startPostgres } from "../postgres/start-postgres.ts";

describe("copyKeptCluster", () => {
  const resources = new AsyncDisposableStack();
  let directory: string;
  let folder: string;
  let filled = 0;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tarsy-kept-"));
    folder = join(directory, "kept");
    resources.defer(() => rm(directory, { recursive: true, force: true }));
  });
  after(() => resources.disposeAsync());

  const copyTo = async (name: string, source: string): Promise<string> => {
    const fill = async ({ url }: { readonly url: string }) => {
      filled += 1;
      await query(url, `CREATE TABLE made_from AS SELECT '${source}' AS source`);
    };
    const dataDir = join(directory, name);
    await copyKeptCluster({ folder, name: "test", source: () => Promise.resolve(source), fill }, dataDir);
    return dataDir;
  };
  const sourceOf = async (dataDir: string): Promise<unknown[]> => {
    const server = await startPostgres({ dataDir, port: "socket", durable: false });
    try {
      return await query(server.url, "SELECT source FROM made_from");
    } finally {
      await server.stop();
    }
  };

  it("makes a cluster once, and each copy has its own data", async () => {
    const [one, other] = [await copyTo("one", "a"), await copyTo("other", "a")];
    expect(filled).to.equal(1);
    expect(await sourceOf(other)).to.deep.equal([{ source: "a" }]);
    const files = (dataDir: string) => readdir(join(dataDir, "cluster"));
    expect(await files(one)).to.deep.equal(await files(other));
  });

  it("leaves a directory as it is that exists", async () => {
    const dataDir = await copyTo("one", "b");
    expect(filled).to.equal(1);
    expect(await sourceOf(dataDir)).to.deep.equal([{ source: "a" }]);
  });

  // Each makes new clusters, and every run of the tests one from the source of its schema.
  if (!NIGHTLY) return;

  it("makes it again from another source, also twice at a time, and removes the one before", async () => {
    const [before] = await readdir(folder);
    const copies = await Promise.all([copyTo("third", "b"), copyTo("fourth", "b")]);
    for (const dataDir of copies) {
      expect(await sourceOf(dataDir)).to.deep.equal([{ source: "b" }]);
    }
    const kept = await readdir(folder);
    expect(kept).to.have.length(1).and.not.include(before);
  });

  it("keeps none where it cannot, and makes one each time", async () => {
    const before = filled;
    const dataDir = join(directory, "unkept");
    const fill = async ({ url }: { readonly url: string }) => {
      filled += 1;
      await query(url, "CREATE TABLE made_from AS SELECT 'd' AS source");
    };
    const kept = { folder: "/dev/null/kept", name: "test", source: () => Promise.resolve("d"), fill };
    await copyKeptCluster(kept, dataDir);
    expect(filled).to.equal(before + 1);
    expect(await sourceOf(dataDir)).to.deep.equal([{ source: "d" }]);
  });

  it("keeps nothing of one that could not be filled", async () => {
    const before = await readdir(folder);
    const failing = copyKeptCluster(
      {
        folder,
        name: "test",
        source: () => Promise.resolve("c"),
        fill: () => Promise.reject(new Error("no")),
      },
      join(directory, "fifth"),
    );
    expect(await failing.catch((error: unknown) => error)).to.have.property("message", "no");
    expect(await readdir(folder)).to.deep.equal(before);
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows }: { rows: unknown[] } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
