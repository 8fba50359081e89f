import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { ListedWorld, WorldList } from "../../../lab/worlds/list-worlds.ts";
import { UsageError, type CommandCall, type Terminal } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";

/** The names of sources on the command line. */
const SOURCES = ["cloud-opsbench", "holmes", "opensre", "runlore"] as const;

/** `tarsy eval import SOURCE DIR` */
export async function importWorlds(call: CommandCall): Promise<number> {
  const { positionals, option, flag, terminal, signal, env } = call;
  const [, given, directory] = positionals;
  const name = SOURCES.find((known) => known === given);
  if (name === undefined) {
    throw new UsageError(`eval import ${printable(given ?? "")}: use ${SOURCES.join(", ")}`);
  }
  const userDir = env["INIT_CWD"] ?? process.cwd();
  const out = resolve(userDir, option("out") ?? "worlds");
  const { importWorlds: run } = await import("../../../lab/worlds/import/import-worlds.ts");
  const source = await sourceOf(name);
  using progress = new Counter(terminal);
  const report = await run({
    source,
    directory: directoryOf(userDir, directory, "a clone of the benchmark's repository"),
    out,
    only: option("only"),
    plain: flag("plain"),
    progress: (done, all, bytes) => progress.show(`${done} of ${all} cases, ${sizeText(bytes)} written`),
    signal,
  });
  progress.erase();
  const failed = Object.entries(report.failed);
  for (const [id, reason] of failed) terminal.warn(`${printable(`${id}: ${reason}`)}\n`);
  const target = relative(userDir, join(out, source.name));
  terminal.write(
    flag("json")
      ? `${JSON.stringify(report)}\n`
      : `${countText(report.cases, "world")}, ${countText(report.answers, "answer")}: ${printable(target)}; import.json says what was left out\n`,
  );
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

async function sourceOf(name: (typeof SOURCES)[number]) {
  switch (name) {
    case "cloud-opsbench":
      return (await import("../../../lab/worlds/import/cloud-opsbench/cloud-opsbench.ts")).cloudOpsBench;
    case "holmes":
      return (await import("../../../lab/worlds/import/holmes/holmes.ts")).holmes;
    case "opensre":
      return (await import("../../../lab/worlds/import/opensre.ts")).openSre;
    case "runlore":
      return (await import("../../../lab/worlds/import/runlore.ts")).runLore;
    default:
      return name satisfies never;
  }
}

/** `tarsy eval worlds DIR` */
export async function listWorlds(call: CommandCall): Promise<number> {
  const { positionals, option, flag, terminal, signal, env } = call;
  const userDir = env["INIT_CWD"] ?? process.cwd();
  const directory = directoryOf(userDir, positionals[1], "a directory of worlds");
  const experts = option("experts");
  const { listWorlds: run } = await import("../../../lab/worlds/list-worlds.ts");
  using progress = new Counter(terminal);
  const list = await run({
    directory,
    expertsOf: experts === undefined ? undefined : directoryOf(userDir, experts, "a clone of Cloud-OpsBench"),
    progress: (done, all) => progress.show(`${done} of ${all} worlds`),
    signal,
  });
  progress.erase();
  const { worlds, wrong } = list;
  for (const [file, reason] of Object.entries(wrong)) {
    terminal.warn(`${printable(`${relative(userDir, file)}: ${reason}`)}\n`);
  }
  if (flag("json")) {
    terminal.write(`${JSON.stringify(list)}\n`);
  } else {
    for (const world of worlds) terminal.write(lineOf(world));
    const bytes = worlds.reduce((sum, world) => sum + world.bytes, 0);
    const answers = worlds.reduce((sum, world) => sum + world.answers, 0);
    terminal.write(
      `${countText(worlds.length, "world")}, ${countText(answers, "answer")}, ${sizeText(bytes)}\n`,
    );
    if (experts !== undefined) terminal.write(expertsText(list.experts));
  }
  return Object.keys(wrong).length === 0 ? EXIT.done : EXIT.failed;
}

function lineOf({ id, hash, answers, bytes, licence }: ListedWorld): string {
  const parts = [
    id,
    hash.slice(0, 12),
    countText(answers, "answer"),
    sizeText(bytes),
    licence ?? "no licence",
  ];
  return `${printable(parts.join("  "))}\n`;
}

function expertsText({ asked, answered, absent, missed }: WorldList["experts"]): string {
  const share = asked === 0 ? "" : ` (${((100 * answered) / asked).toFixed(1)} %)`;
  const misses = missed.map((miss) => `missed: ${printable(miss)}\n`).join("");
  return `${misses}experts: ${answered.toLocaleString("en")} of ${countText(asked, "call")} answered${share}, ${absent} absent, ${missed.length} missed\n`;
}

function directoryOf(userDir: string, given: string | undefined, what: string): string {
  if (given === undefined) throw new UsageError(`name ${what}`);
  const directory = resolve(userDir, given);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw new UsageError(`there is no directory ${printable(given)}: name ${what}`);
}

function countText(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A line on standard error that is replaced. */
export class Counter implements Disposable {
  readonly #terminal: Terminal;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    if (!this.#terminal.isTerminal) return;
    this.erase();
    this.#terminal.warn(`… ${text}`.slice(0, Math.max(this.#terminal.columns - 1, 10)));
    this.#isShown = true;
  }

  erase(): void {
    if (this.#isShown) this.#terminal.warn("\r\u001B[K");
    this.#isShown = false;
  }

  [Symbol.dispose](): void {
    this.erase();
  }
}
