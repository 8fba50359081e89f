import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { BASELINE_HASH } from "#shared/generated/baseline.ts";
import { dateEntry, runRelease, retiringDefaults } from "../release/run-release.ts";
import { frozenBaseline } from "../write-baseline.ts";
import { BUILT_IN_PROVIDERS } from "#shared/agent-config/built-in-providers.ts";
import { copyRepository } from "../../test/support/copy-repository.ts";
import { NIGHTLY } from "../../test/support/nightly.ts";

const run = promisify(execFile);
const VERSION = "99.1.0";
/** Built-in models retire as time goes by, and forbid later releases. */
const DAY = "2026-11-26";
const CHANGELOG = `# Changelog\n\n## ${VERSION}\n\n- News.\n\n## 0.1.0\n\n- First.\n`;
const parseVersions = compileParser(
  "lock file",
  Type.Object(
    {
      version: Type.String(),
      packages: Type.Object({ "": Type.Object({ version: Type.String() }, { additionalProperties: true }) }),
    },
    { additionalProperties: true },
  ),
);
const parseSbom = compileParser(
  "SBOM",
  Type.Object(
    {
      bomFormat: Type.Literal("CycloneDX"),
      metadata: Type.Object(
        { component: Type.Object({ version: Type.String() }, { additionalProperties: true }) },
        { additionalProperties: true },
      ),
    },
    { additionalProperties: true },
  ),
);

describe("retiringDefaults", () => {
  const entry = { type: "google", model: "gemini-2.5-pro", api_key_env: "GOOGLE_API_KEY" } as const;
  const reasons = (name: string, date: string) => retiringDefaults([[name, entry]], date);

  it("names a default provider whose model has less than 90 days left", () => {
    expect(reasons("google-default", "2026-09-02")).to.deep.equal([]);
    expect(reasons("google-default", "2026-09-03")).to.deep.equal([
      "the model of the built-in provider google-default, gemini-2.5-pro, retires on 2026-12-01, in 89 days: give it gemini-3.8-flash, at least 90 days are needed",
    ]);
    expect(reasons("google-default", "2027-01-01")[0]).to.include("was retired on 2026-12-01");
    expect(reasons("gemini-2.5-pro", DAY)).to.deep.equal([]);
  });

  it("has nothing against the built-in providers as of their list", () => {
    expect(retiringDefaults(Object.entries(BUILT_IN_PROVIDERS), DAY)).to.deep.equal([]);
  });
});

describe("dateEntry", () => {
  it("dates the first release, whose entry freezes the baseline from then on", async () => {
    await using copy = await mkdtempDisposable(join(tmpdir(), "tarsy-changelog-"));
    const frozen = async (changelog: string) => {
      await writeFile(join(copy.path, "CHANGELOG.md"), changelog);
      return frozenBaseline(copy.path);
    };
    const undated = "# Changelog\n\n## 0.1.0\n\nNews.\n";
    expect(await frozen(undated)).to.equal(undefined);
    const dated = dateEntry(undated, { version: "0.1.0", date: DAY }) ?? "";
    expect(dated).to.equal(
      `# Changelog\n\n## 0.1.0 (2026-11-26)\n\nThe schema begins with the baseline \`${BASELINE_HASH}\`.\n\nNews.\n`,
    );
    expect(await frozen(dated)).to.equal(BASELINE_HASH);
    expect(dateEntry(dated, { version: "0.1.0", date: DAY })).to.equal(undefined);
  });
});

describe("npm run release", () => {
  const resources = new AsyncDisposableStack();
  let root: string;

  before(async () => {
    root = resources.use(await copyRepository()).path;
    await writeFile(join(root, "CHANGELOG.md"), CHANGELOG);
    // A link is not the folder that .gitignore names.
    await appendFile(join(root, ".gitignore"), "/node_modules\n/.npmrc.local\n");
    await git("init", "--quiet", "--initial-branch=main");
    await git("config", "user.name", "A Tester");
    await git("config", "user.email", "tester@example.com");
    await git("config", "commit.gpgsign", "false");
    await git("config", "core.hooksPath", "/dev/null");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "All");
    await git("init", "--quiet", "--bare", join(root, ".tarsy", "origin.git"));
    await git("remote", "add", "origin", join(root, ".tarsy", "origin.git"));
  });
  after(() => resources.disposeAsync());

  const git = async (...args: readonly string[]) => (await run("git", args, { cwd: root })).stdout.trimEnd();
  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["scripts/release.ts", "--date", DAY, ...args], {
      cwd: root,
      encoding: "utf8",
    });
  /** The same in this process; resolves with what it prints, or with why it refuses. */
  const releaseHere = async (version: string, isDry = true): Promise<string> => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    try {
      await runRelease({ root, version, date: DAY, isDry, print });
    } catch (error) {
      return errorMessage(error);
    }
    return lines.join("\n");
  };
  const state = async () => ({
    head: await git("rev-parse", "HEAD"),
    changes: await git("status", "--porcelain"),
    tags: await git("tag", "--list"),
  });
  const read = async (file: string) => readFile(join(root, file), "utf8");

  it("changes nothing in a dry run, and prints every step", async () => {
    const before = await state();
    expect(before).to.include({ changes: "", tags: "" });
    const printed = await releaseHere(VERSION);
    for (const part of [
      "package.json",
      "Chart.yaml",
      "CHANGELOG.md",
      "SBOM",
      "commit",
      `v${VERSION}`,
      `tarsy:${VERSION}`,
    ]) {
      expect(printed).to.contain(part);
    }
    expect(await state()).to.deep.equal(before);
    expect(existsSync(join(root, ".tarsy", "release"))).to.equal(false);
    // The first release has the version that package.json has already.
    expect(await releaseHere("0.1.0")).to.include("Nothing was changed.");
  });

  it("names every reason why nothing can be released, and changes nothing", async () => {
    await git("checkout", "--quiet", "-b", "other");
    await writeFile(join(root, "CHANGELOG.md"), "# Changelog\n\n## 0.0.1\n\n## 0.0.0\n\n- Old.\n");
    const providers = "shared/agent-config/built-in-providers.ts";
    await writeFile(join(root, providers), (await read(providers)).replace('"gpt-5.2"', '"gpt-5"'));
    const before = await state();
    const { status, stderr } = release("0.0.1");
    expect(status).to.equal(1);
    expect(stderr).to.match(/VERSION is "0\.0\.1": it must not be lower than that of package\.json/u);
    expect(stderr).to.contain("the branch is other").and.to.contain("the tree has changes");
    expect(stderr).to.contain("nothing under an undated heading ## 0.0.1");
    expect(stderr).to.contain("built-in provider openai-default, gpt-5, retires on 2026-12-11, in 15 days");
    expect(await releaseHere("1.0")).to.contain("three numbers");
    const wrong = [["--date", "2026-13-01", VERSION], [], ["--fast", VERSION]];
    for (const args of NIGHTLY ? wrong : wrong.slice(0, 1)) expect(release(...args).status).to.equal(2);
    expect(await state()).to.deep.equal(before);
    await git("checkout", "--quiet", "CHANGELOG.md", providers);
    await git("checkout", "--quiet", "main");
  });

  // It runs npm and writes every document that names the version.
  if (!NIGHTLY) return;

  it("sets the version, dates the entry, writes the SBOM, commits and tags, and pushes nothing", async () => {
    const { status, stderr } = release(VERSION);
    expect(status, stderr).to.equal(0);
    const lock = parseVersions(JSON.parse(await read("package-lock.json")));
    expect([lock.version, lock.packages[""].version]).to.deep.equal([VERSION, VERSION]);
    expect(await read("package.json")).to.contain(`"version": "${VERSION}"`);
    expect(await read("docs/asyncapi.json")).to.contain(VERSION);
    expect(await read("deploy/chart/Chart.yaml")).to.match(/^version: 99\.1\.0\nappVersion: 99\.1\.0$/mu);
    expect(await read("CHANGELOG.md")).to.match(
      /^# Changelog\n\n## 99\.1\.0 \(2026-11-26\)\n\n- News\.\n\n## 0\.1\.0\n/u,
    );
    const sbom = parseSbom(JSON.parse(await read(`.tarsy/release/tarsy-${VERSION}.cdx.json`)));
    expect(sbom.metadata.component.version).to.equal(VERSION);
    expect(await state()).to.include({ changes: "", tags: `v${VERSION}` });
    expect(await git("cat-file", "-t", `v${VERSION}`)).to.equal("tag");
    expect(await git("rev-parse", `v${VERSION}^{commit}`)).to.equal(await git("rev-parse", "HEAD"));
    expect(await git("show", "--stat", "--format=%s", "HEAD")).to.match(/^Release 99\.1\.0/u);
    expect(await git("ls-remote", "origin")).to.equal("");
    expect(await releaseHere(VERSION, false)).to.contain(`the tag v${VERSION} exists`);
  });
});
