import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect } from "chai";
import { tarsyHere } from "../../../scripts/test/tarsy-here.ts";
import { findWorlds, readTruth, readWorld } from "../world-files.ts";
import { benchmarkClone } from "./benchmark-clone.ts";

const CASE = "tests/synthetic/eks/001-oom";
const FILES = {
  [`${CASE}/scenario.yml`]: "failure_mode: oom_killed\nworkload_name: pay\navailable_evidence: [eks_pods]\n",
  [`${CASE}/answer.yml`]: "root_cause_category: resource_exhaustion\n",
  [`${CASE}/alert.json`]: { title: "Down", commonLabels: {}, commonAnnotations: {} },
  [`${CASE}/eks_pods.json`]: { pods: [] },
};

describe("npm run tarsy -- eval import and eval worlds", () => {
  let clone: Awaited<ReturnType<typeof benchmarkClone>>;
  let env: { readonly INIT_CWD: string };

  beforeEach(async () => {
    clone = await benchmarkClone(FILES);
    env = { INIT_CWD: clone.path };
  });
  afterEach(async () => clone.remove());

  /** The files of a directory with their bytes. */
  async function contents(directory: string): Promise<Record<string, string>> {
    const entries = await readdir(join(clone.path, directory), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const found: Record<string, string> = {};
    for (const file of files) {
      found[relative(join(clone.path, directory), file)] = await readFile(file, "base64");
    }
    return found;
  }

  it("writes the same bytes twice, and lists the worlds with their truths checked", async () => {
    const first = await tarsyHere(["eval", "import", "opensre", ".", "--out", "one"], env);
    expect(first).to.deep.include({ code: 0, errors: "" });
    expect(first.out).to.equal("1 world, 1 answer: one/opensre; import.json says what was left out\n");
    await tarsyHere(["eval", "import", "opensre", ".", "--out", "two"], env);
    const one = await contents("one");
    expect(Object.keys(one).toSorted()).to.deep.equal([
      "opensre/NOTICE.md",
      "opensre/eks/001-oom.truth.json",
      "opensre/eks/001-oom.world.json.gz",
      "opensre/import.json",
    ]);
    expect(await contents("two")).to.deep.equal(one);
    const list = await tarsyHere(["eval", "worlds", "one"], env);
    expect(list.out).to.match(
      /^opensre\/eks\/001-oom {2}[0-9a-f]{12} {2}1 answer {2}1 kB {2}Apache-2\.0\n1 world, 1 answer, 1 kB\n$/u,
    );
    expect(list.code).to.equal(0);
  });

  it("leaves one form of a world, and nothing half-written that another import would keep", async () => {
    await tarsyHere(["eval", "import", "opensre", ".", "--out", "one"], env);
    await writeFile(join(clone.path, "one/opensre/eks/001-oom.world.json.part"), "{");
    await tarsyHere(["eval", "import", "opensre", ".", "--out", "one", "--plain"], env);
    const files = Object.keys(await contents("one"));
    expect(files.filter((file) => file.includes("oom"))).to.have.members([
      "opensre/eks/001-oom.truth.json",
      "opensre/eks/001-oom.world.json",
    ]);
  });

  it("says which case cannot be read, and ends with 1", async () => {
    await writeFile(join(clone.path, CASE, "answer.yml"), "[");
    const { code, out, errors } = await tarsyHere(["eval", "import", "opensre", "."], env);
    expect([code, out]).to.deep.equal([
      1,
      "0 worlds, 0 answers: worlds/opensre; import.json says what was left out\n",
    ]);
    expect(errors).to.match(/^eks\/001-oom: /u);
  });

  it("refuses what is no clone of the source, and cases that do not exist", async () => {
    const errors = async (...args: string[]) => (await tarsyHere(["eval", ...args], env)).errors;
    expect(await errors("import", "nope", ".")).to.equal(
      "eval import nope: use cloud-opsbench, holmes, opensre, runlore\n",
    );
    expect(await errors("import", "opensre")).to.include("name a clone");
    expect(await errors("import", "holmes", ".")).to.include("give a clone of HolmesGPT");
    expect(await errors("import", "opensre", CASE)).to.include("has no .git");
    expect(await errors("import", "opensre", ".", "--only", "eks/00")).to.include(
      "chooses no case; there are 1",
    );
    expect((await tarsyHere(["eval", "import", "opensre", ".", "--only", "eks/"], env)).code).to.equal(0);
  });

  it("refuses a world without its truth, with that of another, and with what it does not know", async () => {
    await tarsyHere(["eval", "import", "opensre", ".", "--out", "one", "--plain"], env);
    const [file = ""] = await findWorlds(clone.path);
    const read = await readWorld(file);
    expect((await readTruth(file, read)).world_hash).to.equal(read.hash);
    const text = await readFile(file, "utf8");
    const errors = async () => (await tarsyHere(["eval", "worlds", "one"], env)).errors;
    await writeFile(file, text.replace('"title', '"Title').replace("Down", "Up"));
    expect(await errors()).to.include("was changed after its truth was written");
    await writeFile(file, text.replace('"id":', '"truth": {}, "id":'));
    expect(await errors()).to.include('unknown member "truth"');
    await writeFile(file, text);
    await rm(file.replace(".world.", ".truth."));
    const { code, errors: said } = await tarsyHere(["eval", "worlds", "one"], env);
    expect([code, said]).to.satisfy(([rc, why]: [number, string]) => rc === 1 && why.includes("ENOENT"));
  });
});

describe("the committed worlds", () => {
  it("are read with their truths, and no world has the canary of one", async () => {
    const files = await findWorlds(join(import.meta.dirname, "../examples"));
    expect(files).to.have.length(9);
    for (const file of files) {
      const read = await readWorld(file);
      const { canary } = await readTruth(file, read);
      expect(JSON.stringify(read.world), file).not.to.include(canary);
      expect(read.world.licence).to.equal("Apache-2.0");
    }
  });
});
