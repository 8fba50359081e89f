import { basename, dirname, extname, join, resolve } from "node:path";
import type { Report } from "../../../lab/evaluation/report/report.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { TerminalError } from "#shared/errors.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { JSON_OPTION } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { junitFile } from "../junit-file.ts";
import { measureJudge } from "./eval-judge.ts";
import { importWorlds, listWorlds } from "./eval-worlds.ts";

/** The run ended because the budget could not pay one more cell. */
const BUDGET_ENDED = 3;

/** `tarsy eval` */
export const evalCommand: Command = {
  name: "eval",
  args: "SUITE.yaml | import SOURCE DIR | worlds DIR | judge [PROVIDER]",
  maxArgs: 3,
  summary: "Runs recorded alerts with other configurations or models, and compares the results",
  details: `Models are live and cost money; tools answer from the cassettes and worlds. Results are kept in a directory, so that the same command
continues a run that was ended. Exit code: 0 all cells passed, 1 some did not, 2 the suite or the command line is wrong,
3 the budget has ended.

import makes worlds of a clone of a public benchmark, SOURCE: cloud-opsbench, holmes, opensre or runlore. worlds lists those of a directory
and checks them. Both end with 1 if a case or a file could not be read. judge asks a provider sixty questions whose answers are known, and
ends with 1 if it agrees with less than 95 % of them.`,
  words: ["import", "worlds", "judge"],
  options: {
    out: {
      value: "DIR",
      help: "where results and reports are kept; by default SUITE.results beside the suite; for import, ./worlds",
    },
    fresh: { help: "runs all cells again; earlier results are kept in results.jsonl.old" },
    junit: { value: "FILE", help: "writes JUnit's XML there, too" },
    only: { value: "PATH", help: "import: the cases below it, such as boutique/service" },
    plain: { help: "import: does not compress the worlds" },
    experts: {
      value: "DIR",
      help: "worlds: matches the calls of the experts in a clone of Cloud-OpsBench, too",
    },
    "config-dir": { value: "DIR", help: "judge: another configuration than that of npm start" },
    ...JSON_OPTION,
  },
  run: async (call) => {
    const { terminal, flag, signal, positionals } = call;
    if (positionals[0] === "import") return importWorlds(call);
    if (positionals[0] === "worlds") return listWorlds(call);
    if (positionals[0] === "judge") return measureJudge(call);
    if (positionals.length > 1) throw new UsageError("eval needs the file of one suite: eval SUITE.yaml");
    const { report, page, renderText, renderJson } = await evaluate(call);
    terminal.write(flag("json") ? renderJson(report) : renderText(report, terminal));
    terminal.warn(`${endOf(report)}${page}\n`);
    return signal.aborted ? EXIT.interrupted : codeOf(report);
  },
};

async function evaluate(call: CommandCall) {
  const { terminal, option, flag, signal, env } = call;
  const userDir = env["INIT_CWD"] ?? process.cwd();
  const file = suiteFile(call, userDir);
  const out = option("out");
  const junit = await junitFile(call, userDir);
  // The executor's code takes longer to load than the other commands take to run.
  const [{ runEvaluation }, { renderText }, { renderJson }] = await Promise.all([
    import("../../../lab/evaluation/run-evaluation.ts"),
    import("../../../lab/evaluation/report/render-text.ts"),
    import("../../../lab/evaluation/report/render-json.ts"),
  ]);
  const { warn, isTerminal, columns } = terminal;
  try {
    const evaluation = await runEvaluation({
      file,
      directory:
        out === undefined
          ? join(dirname(file), `${basename(file, extname(file))}.results`)
          : resolve(userDir, out),
      fresh: flag("fresh"),
      junit,
      env,
      output: { warn, isTerminal, columns },
      signal,
    });
    return { ...evaluation, renderText, renderJson };
  } catch (error) {
    const isWrong = error instanceof AgentConfigError || error instanceof TerminalError;
    throw isWrong ? new UsageError(error.message, { cause: error }) : error;
  }
}

function suiteFile({ positionals }: CommandCall, userDir: string): string {
  const [file] = positionals;
  if (file === undefined) throw new UsageError("eval needs the file of a suite: eval SUITE.yaml");
  return resolve(userDir, file);
}

/** The first words of the last line. */
function endOf({ state }: Report): string {
  switch (state) {
    case "complete":
      return "the report: ";
    case "budget":
      return "the budget has ended, so cells are missing; the report: ";
    case "interrupted":
      return "interrupted; the same command continues; the report: ";
    case "incomplete":
      return "some cells could not be run; the same command tries them again; the report: ";
    default:
      return state satisfies never;
  }
}

function codeOf({ state, cells }: Report): number {
  if (state === "budget") return BUDGET_ENDED;
  return cells.every((cell) => cell.state === "done" && cell.passed) ? EXIT.done : EXIT.failed;
}
