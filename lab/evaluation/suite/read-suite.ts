import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import type { Environment } from "#shared/service/environment.ts";
import { errorMessage } from "#shared/errors.ts";
import { compileAssertions } from "./compile-assertions.ts";
import { findCases } from "./find-cases.ts";
import { sampleFiles } from "./sample-files.ts";
import { SUITE_LIMITS, SuiteFile, type VariantEntry } from "./suite-file.ts";
import type { Assertion, Suite, SuiteCase, Variant } from "./suite.ts";

const DEFAULT_PARALLEL = 2;
const DEFAULT_TIMEOUT_MS = 10 * 60_000;

/**
 * Reads the file of a suite, with the values of `env` inserted, and finds its cases. Throws AgentConfigError with everything
 * that is wrong, by line and column. Unknown keys are errors here: a misspelt assertion would pass.
 */
export async function readSuite(file: string, env: Environment): Promise<Suite> {
  const directory = dirname(file);
  const reporter = new Reporter(env);
  const read = await readCheckedFile(directory, basename(file), SuiteFile, reporter, env);
  if (read === undefined) throw new AgentConfigError(problems(reporter));
  const { value } = read;
  const isJudged = value.judge?.llm_provider !== undefined;
  const assertions = compileAssertions(value.assertions ?? [], isJudged, reporter);
  const cases = [
    ...(await findAll("cassette", directory, value, { isJudged, assertions }, reporter)),
    ...(await findAll("world", directory, value, { isJudged, assertions }, reporter)),
  ];
  checkCases(value, cases.length, reporter);
  const variants = readVariants(directory, value, reporter);
  const repetitions = value.repetitions ?? 1;
  checkCells(value, cases.length * variants.length * repetitions, reporter);
  checkBudgets(value, reporter);
  const found = problems(reporter);
  if (found.length > 0) throw new AgentConfigError(found);
  const configDir = value.config_dir === undefined ? undefined : resolve(directory, value.config_dir);
  return {
    name: value.name ?? basename(file, extname(file)),
    file,
    hash: createHash("sha256").update(readFileSync(file)).digest("hex"),
    cases,
    answer: value.answer ?? CONCLUSION_CONTRACT,
    variants,
    repetitions,
    judge:
      value.judge?.llm_provider === undefined ? undefined : { provider: value.judge.llm_provider, configDir },
    budgetUsd: value.budget_usd,
    cellBudgetUsd: value.cell_budget_usd,
    parallel: value.parallel ?? DEFAULT_PARALLEL,
    timeoutMs: parseDuration(value.timeout ?? "") ?? DEFAULT_TIMEOUT_MS,
  };
}

function problems(reporter: Reporter) {
  const warnings = reporter.warnings().map((warning) => ({ ...warning, severity: "error" as const }));
  return [...reporter.errors(), ...warnings].sort((a, b) => a.line - b.line || a.column - b.column);
}

type Read = Loose<SuiteFile>;

/** A case that several entries name is one, with the assertions of all of them. */
async function findAll(
  kind: SuiteCase["kind"],
  directory: string,
  { sample, ...value }: Read,
  { isJudged, assertions }: { readonly isJudged: boolean; readonly assertions: readonly Assertion[] },
  reporter: Reporter,
): Promise<SuiteCase[]> {
  const found = new Map<string, Assertion[]>();
  for (const entry of (kind === "world" ? value.worlds : value.cassettes) ?? []) {
    if (entry?.path === undefined) continue;
    const own = compileAssertions(entry.assertions ?? [], isJudged, reporter);
    const target = { container: entry, key: "path" };
    try {
      const files = await findCases(directory, entry.path, kind);
      if (files.length === 0) {
        reporter.error(
          target,
          `must name a ${kind}, a directory of ${kind}s or a pattern`,
          `no ${kind === "world" ? "file *.world.json" : "JSON file"} in ${directory} matches`,
        );
      }
      for (const file of files) found.set(file, [...(found.get(file) ?? assertions), ...own]);
    } catch (error) {
      reporter.error(target, errorMessage(error));
    }
  }
  const files = [...found.keys()];
  const drawn =
    kind === "cassette" || sample?.size === undefined
      ? new Set(files)
      : sampleFiles(files, directory, {
          size: sample.size,
          seed: sample.seed ?? 0,
          isByFolder: sample.by === "category",
        });
  const names = Map.groupBy(files, shortName);
  return [...found].flatMap(([file, all]) => {
    if (!drawn.has(file)) return [];
    const name = shortName(file);
    const isUnique = names.get(name)?.length === 1;
    const long = relative(directory, kind === "world" ? join(dirname(file), name) : file);
    return [{ kind, name: isUnique ? name : long, file, assertions: all }];
  });
}

function checkCases(value: Read, cases: number, reporter: Reporter): void {
  if (value.cassettes === undefined && value.worlds === undefined) {
    reporter.error({ container: value }, "must have cassettes or worlds");
  }
  if (value.sample !== undefined && value.worlds === undefined) {
    reporter.error({ container: value, key: "sample" }, "needs worlds, of which it is drawn");
  }
  if (value.answer === "text" && value.judge === undefined) {
    reporter.error({ container: value, key: "answer" }, "needs a judge, which maps texts to causes");
  }
  if (cases > SUITE_LIMITS.cases) {
    reporter.error({ container: value }, `must name at most ${SUITE_LIMITS.cases} cases, not ${cases}`);
  }
}

function shortName(file: string): string {
  return basename(file).replace(/(?:\.cassette|\.world)?\.json(?:\.gz)?$/u, "");
}

function readVariants(directory: string, value: Read, reporter: Reporter): Variant[] {
  const { variants } = value;
  if (variants === undefined) return [];
  const entries = Object.entries(variants);
  if (entries.length === 0 || entries.length > SUITE_LIMITS.variants) {
    reporter.error({ container: variants }, `must have 1 to ${SUITE_LIMITS.variants} entries`);
  }
  checkDirectory(directory, value, reporter);
  return entries.flatMap(([name, entry]) => {
    if (entry === undefined) return [];
    if (!/^[\w.+ -]{1,60}$/u.test(name)) {
      const rule = "must have a name of 1 to 60 letters, digits, spaces and . + _ -";
      reporter.error({ container: variants, key: name }, rule);
    }
    checkDirectory(directory, entry, reporter);
    if (entry.chain === "recorded" && entry.llm_provider === undefined) {
      reporter.error(
        { container: entry, key: "chain" },
        "needs llm_provider: a recorded chain is run by today's provider",
      );
    }
    if (entry.model !== undefined && entry.llm_provider === undefined) {
      reporter.error({ container: entry, key: "model" }, "needs llm_provider, which serves the model");
    }
    return [readVariant(directory, name, entry, value.config_dir)];
  });
}

function readVariant(
  directory: string,
  name: string,
  entry: Loose<VariantEntry>,
  shared: string | undefined,
): Variant {
  const configDir = entry.config_dir ?? shared;
  return {
    name,
    configDir: configDir === undefined ? undefined : resolve(directory, configDir),
    chain: entry.chain,
    provider: entry.llm_provider,
    model: entry.model,
    instructions: entry.custom_instructions,
    maxIterations: entry.max_iterations,
  };
}

function checkDirectory(
  directory: string,
  entry: { readonly config_dir?: string },
  reporter: Reporter,
): void {
  const { config_dir: configDir } = entry;
  if (configDir === undefined) return;
  const path = resolve(directory, configDir);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  reporter.error(
    { container: entry, key: "config_dir" },
    "must be a directory with tarsy.yaml",
    `there is no ${path}`,
  );
}

function checkCells(value: Read, cells: number, reporter: Reporter): void {
  if (cells <= SUITE_LIMITS.cells) return;
  const rule = `makes ${cells} cells (cases × variants × repetitions): the most is ${SUITE_LIMITS.cells}`;
  reporter.error({ container: value }, rule);
}

function checkBudgets(value: Read, reporter: Reporter): void {
  const { budget_usd: all, cell_budget_usd: one } = value;
  if (one === undefined) return;
  const target = { container: value, key: "cell_budget_usd" };
  if (all === undefined) reporter.error(target, "needs budget_usd, of which it is a part");
  else if (one > all) reporter.error(target, `must be at most budget_usd, which is ${all}`);
}
