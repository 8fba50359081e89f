import { existsSync, globSync } from "node:fs";
import { join, resolve } from "node:path";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { chooseConfigDirectory } from "#shared/agent-config/choose-config-directory.ts";
import { TerminalError } from "#shared/errors.ts";
import type { World } from "#shared/worlds/world-format.ts";
import type { TriedWorld } from "../../../lab/evaluation/try-world.ts";
import { UsageError, type Command, type CommandCall, type Terminal } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { durationText, printable } from "../terminal/terminal-style.ts";

const EXAMPLES = join(PROJECT_ROOT, "lab/worlds/examples");
const ENDING = ".world.json";
const MAX_LINES = 20;
const MAX_WIDTH = 120;

/** `tarsy try [WORLD]` */
export const tryCommand: Command = {
  name: "try",
  args: "[WORLD]",
  maxArgs: 1,
  summary: "Lets a model investigate a recorded incident, without a cluster, and shows what is right",
  details: `WORLD is the name of an example, or a file *.world.json beside its *.truth.json; without it the examples are listed. The model is
that of npm start, or of --llm-provider, and costs money; nothing is installed, stored or changed. Exit code: 0 object and cause are
right, 1 they are not or the investigation failed, 2 no model is configured or the command line is wrong.`,
  options: {
    "llm-provider": { value: "NAME", help: "another provider of the configuration" },
    "config-dir": { value: "DIR", help: "another configuration than that of npm start" },
  },
  run: async (call) => {
    const [name] = call.positionals;
    if (name !== undefined) return tryOne(call, name);
    const { listWorlds } = await import("../../../lab/worlds/list-worlds.ts");
    const list = await listWorlds({ directory: EXAMPLES, progress: () => undefined, signal: call.signal });
    for (const { file, alert } of list.worlds) {
      call.terminal.write(`${printable(`${nameOf(file).padEnd(36)}  ${alert}`)}\n`);
    }
    return EXIT.done;
  },
};

async function tryOne(call: CommandCall, name: string): Promise<number> {
  const { terminal, option, env, signal } = call;
  const userDir = env["INIT_CWD"] ?? process.cwd();
  const file = worldFile(name, userDir);
  // The executor's code takes longer to load than the other commands take to run.
  const { tryWorld } = await import("../../../lab/evaluation/try-world.ts");
  try {
    const { path, by } = chooseConfigDirectory({
      root: PROJECT_ROOT,
      userDir,
      configDir: option("config-dir"),
      env,
    });
    if (by === "demo") throw new UsageError(NO_MODEL);
    const tried = await tryWorld({
      file,
      configDir: path,
      provider: option("llm-provider"),
      env,
      watcher: {
        started: (world, models) => showStart(terminal, world, models),
        called: (tool, args) => terminal.write(terminal.style.cyan(`● ${cut(`${tool} ${args}`)}\n`)),
      },
      signal,
    });
    showEnd(terminal, tried);
    return tried.grade.a1 ? EXIT.done : EXIT.failed;
  } catch (error) {
    const isWrong = error instanceof AgentConfigError || error instanceof TerminalError;
    throw isWrong ? new UsageError(error.message, { cause: error }) : error;
  }
}

const NO_MODEL =
  "no model is configured: set the key of a provider, such as GOOGLE_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, in the environment or in deploy/config/.env; or run npm run tarsy -- init for a model of this machine, and name its directory with --config-dir";

function worldFile(name: string, userDir: string): string {
  const given = resolve(userDir, name);
  if (/\.json(?:\.gz)?$/u.test(name) && existsSync(given)) return given;
  const found = globSync(`*${ENDING}`, { cwd: EXAMPLES }).find((file) => nameOf(file) === name);
  if (found !== undefined) return join(EXAMPLES, found);
  throw new UsageError(
    `there is no world ${JSON.stringify(name)}: npm run tarsy -- try lists the examples; a file ends in ${ENDING}`,
  );
}

/** The last part of the world's id, which is in the file's name with "--" in place of "/". */
function nameOf(file: string): string {
  return file.slice(0, -ENDING.length).split("--").at(-1) ?? "";
}

function showStart({ write, style }: Terminal, { alert }: World, models: readonly string[]): void {
  const lines = alert.data.split("\n");
  const shown = lines.slice(0, MAX_LINES).map(cut).join("\n");
  const more = lines.length > MAX_LINES ? `\n… and ${lines.length - MAX_LINES} lines more` : "";
  write(`${style.bold("Alert")}\n${shown}${more}\n\n${printable(models.join(", "))} investigates\n`);
}

function showEnd({ write, warn, style }: Terminal, { facts, grade, truth }: TriedWorld): void {
  const { status, error, conclusion: answer, duration_ms: ms, llm_calls, cost_usd: cost, world } = facts;
  if (status !== "completed") {
    warn(style.red(`the investigation ended ${status}${error === null ? "" : `: ${printable(error)}`}\n`));
  }
  if (answer !== "") write(`\n${style.bold("Answer")}\n${printable(answer)}\n`);
  write(`\n${style.bold("Conclusion")}\n${conclusionText(world?.conclusion ?? null)}`);
  const [first] = world?.conclusion?.body?.causes ?? [];
  const mark = (isRight: boolean) => (isRight ? style.green("right") : style.red("wrong"));
  const right = truth.causes;
  const row = (what: string, isRight: boolean, said: string, truths: readonly string[]) =>
    `${what.padEnd(8)}${mark(isRight)}  it says ${said === "" ? "none" : printable(said)}; right is ${printable([...new Set(truths)].join(" or "))}\n`;
  write(`\n${style.bold("Truth")}\n`);
  write(
    row(
      "object",
      grade.isObjectRight,
      first?.entity ?? "",
      right.map(({ object }) => object),
    ),
  );
  write(
    row(
      "cause",
      grade.isCauseRight,
      first === undefined ? "" : [first.code, first.kind].filter((part) => part !== "").join(", "),
      right.map(({ cause, category }) => `${cause} (${category})`),
    ),
  );
  if (truth.reference !== undefined) write(`${printable(truth.reference)}\n`);
  const misses = Object.values(world?.misses ?? {}).reduce((sum, count) => sum + count, 0);
  const price = cost === null ? "" : `, $${cost.toFixed(4)}`;
  write(
    style.dim(
      `\n${llm_calls} calls of the model, ${world?.calls ?? 0} of tools of which ${misses} were not recorded, ${durationText(ms)}${price}\n`,
    ),
  );
}

function conclusionText(conclusion: NonNullable<TriedWorld["facts"]["world"]>["conclusion"]): string {
  if (conclusion === null) return "none was stated\n";
  const { status, body, checked } = conclusion;
  if (body === null) return `${status}: none could be read\n`;
  const outcomes = new Map(checked.map((claim) => [claim.claim_id, claim]));
  const causes = body.causes.map(({ entity, statement }, at) => `${at + 1}. ${entity}: ${statement}`);
  const claims = body.claims.flatMap(({ id, text, source, quote }) => {
    const { outcome = "unchecked", note = null } = outcomes.get(id) ?? {};
    return [
      `${outcome}${note === null ? "" : ` (${note})`}: ${text}`,
      ...(quote === "" ? [] : [`    ${source}: “${quote}”`]),
    ];
  });
  return printable(`${[`${status}: ${body.summary}`, ...causes, ...claims].join("\n")}\n`);
}

/** One line that is not too long. */
function cut(text: string): string {
  const line = printable(text).replaceAll("\n", " ");
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
}
