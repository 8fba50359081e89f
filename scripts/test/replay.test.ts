import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { tarsyHere } from "./tarsy-here.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SUITE = join(ROOT, "test", "cassettes");
const OTHER = join(ROOT, "shared", "cassette", "test", "other-prompts.cassette.json");
const MAX_BYTES = 300_000;

const parseResults = compileParser(
  "results",
  Type.Array(Type.Object({ cassette: Type.String(), kind: Type.String() }, { additionalProperties: true })),
);

describe("npm run tarsy -- replay", () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tarsy-replay-test-"));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const run = (...args: readonly string[]) => tarsyHere(args, { INIT_CWD: directory });

  it("finds the project's own cassettes identical, of which there are few and small ones", async () => {
    const names = (await readdir(SUITE)).filter((name) => name.endsWith(".cassette.json"));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(SUITE, name))).size));
    expect(names).to.have.length.within(1, 4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(MAX_BYTES);
    const { code, out, errors } = await run("replay", SUITE, "--jobs", "2");
    expect(out.match(/^identical /gmu), out).to.have.length(names.length);
    expect(errors).to.include("today's code with the recorded configuration\n");
    expect(errors).to.include(`${names.length} of ${names.length} identical, 0 diverged\n`);
    expect(code).to.equal(0);
  });

  it("says where a cassette of other prompts diverges, and goes on behind a file that is none", async () => {
    const broken = join(directory, "broken.cassette.json");
    await writeFile(broken, '{"format":"tarsy-cassette","version":99}');
    const human = await run("replay", OTHER);
    expect(human.code).to.equal(1);
    expect(human.out)
      .to.match(/^diverged /u)
      .and.match(/^ {2}where +stage stage-0, agent TestAgent$/mu)
      .and.match(/^ {2}pointer +\/messages\/0\/content$/mu)
      .and.match(/^ {2}recorded +You are TestAgent, an SRE who/mu)
      .and.match(/^ {2}now +You are TestAgent, a site reliability engineer who/mu);
    const { code, out } = await run("replay", broken, OTHER, "--json", "--junit", "junit.xml");
    expect(code).to.equal(1);
    const results = parseResults(JSON.parse(out));
    expect(results.map(({ kind }) => kind)).to.deep.equal(["error", "diverged"]);
    const junit = await readFile(join(directory, "junit.xml"), "utf8");
    expect(junit).to.match(/<testsuites name="tarsy replay" tests="2" failures="1" errors="1" /u);
    expect(junit).to.match(/<failure message="TestAgent, [^"]*: \/messages\/0\/content">/u);
    expect(junit).to.include("this TARSy reads version 1");
  });

  for (const [args, message] of [
    [[], "replay needs a cassette"],
    [["nothing"], '"nothing" is neither a file, nor a folder, nor the id of a session'],
    [[join(ROOT, "proto")], "has no cassette: no file in it ends with .cassette.json"],
    [[OTHER, "--jobs", "0"], '--jobs is "0": it must be a whole number from 1 to 16'],
    [[OTHER, "--config-dir", "nowhere"], "nowhere"],
    [[OTHER, "--junit", "nowhere/junit.xml"], '--junit is "nowhere/junit.xml", and there is no folder '],
    [[OTHER, "--junit", "."], '--junit is ".", which is not a file'],
  ] as const) {
    it(`refuses ${["replay", ...args].join(" ").replaceAll(ROOT, "")}`, async () => {
      const { code, errors } = await run("replay", ...args);
      expect(errors).to.include(message);
      expect(code).to.equal(2);
    });
  }
});
