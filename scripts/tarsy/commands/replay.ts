import { availableParallelism } from "node:os";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { junitXml, type JunitOutcome, type JunitSuite } from "#shared/junit-xml.ts";
import { UsageError, type Command, type CommandCall, type Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { junitFile } from "../junit-file.ts";
import { findCassettes } from "../replay/find-cassettes.ts";
import type { CassetteReplay } from "../replay/replay-all.ts";
import type { ReplayedCassette } from "../replay/replayed-cassette.ts";
import { printable, durationText } from "../terminal/terminal-style.ts";

/** The length of a text that differs, in code units. */
const MAX_SHOWN = 400;

/** The lines about a replayed cassette, for people. */
function showResult({ name, result, durationMs }: ReplayedCassette, style: Terminal["style"]): string {
  const took = style.dim(`(${durationText(durationMs)})`);
  const title = printable(name);
  if (result.kind === "error") return `${style.red("error")}      ${title}: ${printable(result.message)}\n`;
  const remarks = result.notReplayed.map((remark) => `  not replayed: ${printable(remark)}\n`).join("");
  if (result.kind === "identical") return `${style.green("identical")}  ${title} ${took}\n${remarks}`;
  const { divergence } = result;
  const { agent, stage, execution_id, step, seq, pointer, recorded, now } = divergence;
  const place = [stage === null ? undefined : `stage ${stage}`, agent === null ? undefined : `agent ${agent}`]
    .filter((text) => text !== undefined)
    .join(", ");
  const lines: [string, string | null][] = [
    ["where", place === "" ? "the session" : place],
    ["execution", execution_id],
    ["step", step],
    ["event", seq === null ? null : String(seq)],
    ["pointer", pointer === "" ? "(the whole value)" : pointer],
    ["recorded", around(recorded, now)],
    ["now", around(now, recorded)],
  ];
  const block = lines
    .filter((line): line is [string, string] => line[1] !== null)
    .map(
      ([label, text]) => `  ${label.padEnd(10)}${printable(text).replaceAll("\n", `\n${" ".repeat(12)}`)}\n`,
    )
    .join("");
  return `${style.red("diverged")}   ${title} ${took}\n${block}${remarks}`;
}

/** The part of a long text around the first place in which it differs from the other. */
function around(text: string, other: string): string {
  if (text.length <= MAX_SHOWN) return text;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const start = Math.max(0, at - MAX_SHOWN / 4);
  const part = text.slice(start, start + MAX_SHOWN).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_SHOWN < text.length ? "…" : ""}`;
}

const MAX_JOBS = 16;

/** `tarsy replay FILE|DIR|SESSION…` */
export const replayCommand: Command = {
  name: "replay",
  args: "FILE|DIR|SESSION…",
  maxArgs: 1_000,
  summary: "Runs recorded sessions with today's code against the recorded answers, without a network",
  details: `A FILE is a cassette, as tarsy cassette writes them; of a DIR, all files in it that end with .cassette.json; a SESSION is asked of
the api. Without --config-dir and CONFIG_DIR each session has the configuration that was recorded, so that only the code can make a
difference. Exit code: 0 all are identical, 1 one diverged, 2 the command line is wrong or a cassette cannot be replayed.`,
  options: {
    "config-dir": {
      value: "DIR",
      help: "uses the configuration in this directory instead of the recorded one",
    },
    junit: { value: "FILE", help: "writes the results there as JUnit's XML, too" },
    jobs: {
      value: "N",
      help: `how many are replayed at a time, 1 to ${MAX_JOBS} (default: the processors, at most 4)`,
    },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const { terminal, option, flag, signal, env } = call;
    const { write, warn, style } = terminal;
    // npm changes to the directory of package.json and passes the user's own directory in INIT_CWD.
    const userDir = env["INIT_CWD"] ?? process.cwd();
    if (call.positionals.length === 0) {
      throw new UsageError("replay needs a cassette: replay FILE, replay DIR, or replay SESSION");
    }
    const jobs = jobsOf(option("jobs"));
    const junit = await junitFile(call, userDir);
    const configDirectory = configDirectoryOf(call, userDir);
    const cassettes = await findCassettes(call, userDir);
    warn(`${printable(sourceText(configDirectory))}\n`);
    const results = await replay({
      cassettes,
      replayer: configDirectory === undefined ? {} : { configDirectory, environment: env },
      jobs,
      signal,
      onReplayed: (replayed) => (flag("json") ? undefined : write(showResult(replayed, style))),
      progress: (done) => showProgress(call, done, cassettes.length),
    });
    if (flag("json")) write(`${JSON.stringify(results.map(jsonOf), undefined, 2)}\n`);
    if (junit !== undefined) {
      await writeFile(junit, junitXml("tarsy replay", junitSuites(results)));
    }
    warn(`${summaryText(results)}\n`);
    return codeOf(results);
  },
};

/** The executor is loaded here, so that no other command waits for it. */
async function replay(request: CassetteReplay): Promise<ReplayedCassette[]> {
  const { replayAll } = await import("../replay/replay-all.ts");
  try {
    return await replayAll(request);
  } catch (error) {
    throw error instanceof AgentConfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}

function jobsOf(given: string | undefined): number {
  if (given === undefined) return Math.min(4, availableParallelism());
  if (/^\d{1,2}$/u.test(given) && Number(given) >= 1 && Number(given) <= MAX_JOBS) return Number(given);
  throw new UsageError(`--jobs is "${given}": it must be a whole number from 1 to ${MAX_JOBS}`);
}

/** The directory whose configuration is used; undefined for the recorded one. */
function configDirectoryOf({ option, env }: CommandCall, userDir: string): string | undefined {
  const given = option("config-dir") ?? env["CONFIG_DIR"] ?? "";
  return given === "" ? undefined : resolve(userDir, given);
}

function sourceText(configDirectory: string | undefined): string {
  return configDirectory === undefined
    ? "today's code with the recorded configuration"
    : `today's code with the configuration of ${configDirectory}`;
}

/** Only a line that is replaced: a log would have thousands. */
function showProgress({ terminal, flag }: CommandCall, done: number, all: number): void {
  if (!terminal.isTerminal || !flag("json") || all < 2) return;
  terminal.warn(`\r${done} of ${all}${done === all ? "\n" : ""}`);
}

function jsonOf({ name, sessionId, result, durationMs }: ReplayedCassette): object {
  return { cassette: name, session_id: sessionId, duration_ms: durationMs, ...outcomeOf(result) };
}

function outcomeOf(result: ReplayedCassette["result"]): object {
  if (result.kind === "error") return result;
  const { notReplayed: not_replayed, ...rest } = result;
  return { ...rest, not_replayed };
}

function summaryText(results: readonly ReplayedCassette[]): string {
  const count = (kind: ReplayedCassette["result"]["kind"]) =>
    results.filter(({ result }) => result.kind === kind).length;
  const errors = count("error");
  const failed = errors === 0 ? "" : `, ${errors} not replayed`;
  return `${count("identical")} of ${results.length} identical, ${count("diverged")} diverged${failed}`;
}

function codeOf(results: readonly ReplayedCassette[]): number {
  if (results.some(({ result }) => result.kind === "diverged")) return EXIT.failed;
  return results.some(({ result }) => result.kind === "error") ? EXIT.usage : EXIT.done;
}

/** The results as JUnit's suites: one suite with a test for each cassette. */
function junitSuites(results: readonly ReplayedCassette[]): readonly JunitSuite[] {
  const cases = results.map(({ name, result, durationMs }) => ({
    className: "cassettes",
    name,
    seconds: durationMs / 1_000,
    outcome: junitOutcome(result),
  }));
  return [{ name: "tarsy replay", cases }];
}

function junitOutcome(result: ReplayedCassette["result"]): JunitOutcome {
  switch (result.kind) {
    case "identical":
      return { kind: "passed" };
    case "error":
      return { kind: "error", message: result.message };
    case "diverged": {
      const { agent, step, seq, pointer, recorded, now } = result.divergence;
      const message = `${agent ?? "session"}, ${step}: ${pointer}`;
      return {
        kind: "failure",
        message,
        text: `event ${seq ?? "unknown"}\nrecorded: ${recorded}\nnow: ${now}`,
      };
    }
    default:
      return result satisfies never;
  }
}
