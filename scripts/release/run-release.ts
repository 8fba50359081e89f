import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { BUILT_IN_PROVIDERS } from "#shared/agent-config/built-in-providers.ts";
import { BASELINE_HASH } from "#shared/generated/baseline.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { daysLeft, retirementOf } from "#shared/pricing/retirement-of.ts";

const run = promisify(execFile);
const parsePackage = compileParser(
  "package.json",
  Type.Object({ version: Type.String() }, { additionalProperties: true }),
);
/** The baseline of the schema is frozen with this version: its entry says which one it is (`frozenBaseline`). */
const FIRST = "0.1.0";
const CHART = "deploy/chart/Chart.yaml";
const SBOM_BYTES = 64 * 1024 * 1024;

interface ReleaseOptions {
  /** The checkout to release from. */
  readonly root: string;
  readonly version: string;
  /** The day of the release, such as 2026-11-23. */
  readonly date: string;
  /** True if nothing may be changed. */
  readonly isDry: boolean;
  readonly print: (line: string) => void;
}

interface ReleaseStep {
  readonly says: string;
  readonly run: () => Promise<unknown>;
}

/** The reason why nothing can be released; the message has a line for each reason. */
export class ReleaseRefused extends Error {}

/**
 * Makes a release in this checkout: version, changelog, documents that name the version, SBOM, commit and tag. Prints each step, and
 * afterwards what is left to a person: images and push. A dry run prints the same and changes nothing. Throws
 * ReleaseRefused, with all reasons, before anything is changed.
 */
export async function runRelease(release: ReleaseOptions): Promise<void> {
  const { version, isDry, print } = release;
  const changelog = await checkRelease(release);
  for (const { says, run: perform } of stepsOf(release, changelog)) {
    print(`${isDry ? "would " : ""}${says}`);
    if (!isDry) await perform();
  }
  print(isDry ? "Nothing was changed. A real run ends with:" : "What is left:");
  print(`  deploy/publish-images.sh REGISTRY ${version}`);
  print(`    builds, pushes and signs REGISTRY/tarsy:${version} and REGISTRY/tarsy-nats:${version}`);
  print(`  helm package deploy/chart && helm push tarsy-${version}.tgz oci://REGISTRY/charts`);
  print(`  git push --atomic origin main v${version}`);
}

/** Resolves with the changelog of the release. */
async function checkRelease({ root, version, date }: ReleaseOptions): Promise<string> {
  const current = parsePackage(JSON.parse(await readFile(join(root, "package.json"), "utf8"))).version;
  const branch = await git(root, "rev-parse", "--abbrev-ref", "HEAD");
  const changes = await git(root, "status", "--porcelain");
  const tag = await git(root, "tag", "--list", `v${version}`);
  const changelog = dateEntry(await readFile(join(root, "CHANGELOG.md"), "utf8"), { version, date });
  const reasons = [
    checkVersion(version, current),
    branch === "main" ? undefined : `the branch is ${branch}: a release is made on main`,
    changes === "" ? undefined : `the tree has changes: commit or remove them first\n${changes}`,
    tag === "" ? undefined : `the tag v${version} exists`,
    changelog === undefined ? `CHANGELOG.md has nothing under an undated heading ## ${version}` : undefined,
    ...retiringDefaults(Object.entries(BUILT_IN_PROVIDERS), date),
  ].filter((reason) => reason !== undefined);
  if (changelog === undefined || reasons.length > 0) throw new ReleaseRefused(reasons.join("\n"));
  return changelog;
}

/**
 * The changelog with the date behind the heading of this version's entry; undefined if there is no undated heading for it, or nothing
 * below that. `date` is a day such as 2026-11-23.
 */
export function dateEntry(
  changelog: string,
  { version, date }: { readonly version: string; readonly date: string },
): string | undefined {
  const heading = `## ${version}\n`;
  const at = `\n${changelog}`.indexOf(`\n${heading}`);
  if (at < 0) return undefined;
  const rest = changelog.slice(at + heading.length);
  const entry = rest.split(/^## /mu, 1)[0] ?? "";
  if (entry.trim() === "") return undefined;
  const baseline = version === FIRST ? `\nThe schema begins with the baseline \`${BASELINE_HASH}\`.\n` : "";
  return `${changelog.slice(0, at)}## ${version} (${date})\n${baseline}${rest}`;
}

function stepsOf({ root, version, date }: ReleaseOptions, changelog: string): readonly ReleaseStep[] {
  const sbom = join(root, ".tarsy", "release", `tarsy-${version}.cdx.json`);
  return [
    {
      says: `set the version ${version} in package.json and package-lock.json`,
      run: () =>
        run("npm", ["version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts"], {
          cwd: root,
        }),
    },
    {
      says: `set the version ${version} of the chart in ${CHART}`,
      run: async () => {
        const chart = await readFile(join(root, CHART), "utf8");
        const changed = chart.replaceAll(/^(version|appVersion): .*$/gmu, `$1: ${version}`);
        await writeFile(join(root, CHART), changed);
      },
    },
    {
      says: `date the entry ${version} of CHANGELOG.md: ${date}`,
      run: () => writeFile(join(root, "CHANGELOG.md"), changelog),
    },
    {
      says: "write docs/asyncapi.json, which names the version",
      run: () => run(process.execPath, ["scripts/write-asyncapi.ts"], { cwd: root }),
    },
    {
      says: `write the SBOM of the npm packages to .tarsy/release/tarsy-${version}.cdx.json`,
      run: () => writeSbom(root, sbom),
    },
    {
      says: `pack the client as .tarsy/release/tarsy-client-${version}.tgz`,
      run: () => packClient(root, dirname(sbom)),
    },
    {
      says: `commit: Release ${version}`,
      run: () => git(root, "commit", "--quiet", "--all", "--message", `Release ${version}`),
    },
    {
      says: `tag the commit v${version}`,
      run: () => git(root, "tag", "--annotate", "--message", `TARSy ${version}`, `v${version}`),
    },
  ];
}

async function writeSbom(root: string, path: string): Promise<void> {
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  const { stdout } = await run("npm", args, { cwd: root, maxBuffer: SBOM_BYTES });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, stdout);
}

/** In a process of its own, which reads the new version. */
async function packClient(root: string, destination: string): Promise<void> {
  const directory = join(root, ".tarsy", "client");
  await run(process.execPath, ["scripts/client-package.ts", directory], { cwd: root });
  await run("npm", ["pack", "--pack-destination", destination, directory], { cwd: root });
}

/** The output of a git command, without the line break at its end. */
async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: root });
  return stdout.trimEnd();
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/u;

/** The problem with a version to release in a checkout of the version `current`, which may be it; undefined if nothing is. */
function checkVersion(version: string, current: string): string | undefined {
  const wanted = VERSION.exec(version);
  if (wanted === null) return `VERSION is "${version}": it must be three numbers, such as 1.4.0`;
  const present = VERSION.exec(current);
  const isPossible = present === null || compare(wanted, present) >= 0;
  return isPossible
    ? undefined
    : `VERSION is "${version}": it must not be lower than that of package.json, ${current}`;
}

function compare(one: RegExpExecArray, other: RegExpExecArray): number {
  const differences = [1, 2, 3].map((part) => Number(one[part]) - Number(other[part]));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** A release is in use for about as long. */
const NEEDED_DAYS = 90;

/** The reason why the `…-default` providers among these forbid a release on `date`: a sentence for each whose model retires within 90 days. */
export function retiringDefaults(
  providers: Iterable<readonly [string, LlmProviderEntry]>,
  date: string,
): string[] {
  return [...providers].flatMap(([name, { type, model = "", base_url }]) => {
    const retirement = name.endsWith("-default") ? retirementOf({ type, model, base_url }) : undefined;
    if (retirement === undefined) return [];
    const days = daysLeft(retirement, new Date(date));
    if (days >= NEEDED_DAYS) return [];
    const { day, successor = "another model" } = retirement;
    const when = days > 0 ? `retires on ${day}, in ${days} days` : `was retired on ${day}`;
    return [
      `the model of the built-in provider ${name}, ${model}, ${when}: give it ${successor}, at least ${NEEDED_DAYS} days are needed`,
    ];
  });
}
