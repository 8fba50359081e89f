import { parseArgs } from "node:util";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { nearestName } from "#shared/agent-config/suggest-name.ts";
import { errorMessage } from "#shared/errors.ts";
import { printable, terminalStyle } from "./terminal/terminal-style.ts";
import { type CommandCall, type Command, UsageError, type Terminal } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

/**
 * Runs `tarsy` with these arguments and commands in this process, on its terminal and with its environment if no others are given; resolves
 * with the exit code.
 */
export async function runTarsy(
  args: readonly string[],
  {
    commands,
    terminal = processTerminal(),
    env = process.env,
  }: Partial<Pick<CommandCall, "terminal" | "env">> & { readonly commands: readonly Command[] },
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    (name === undefined ? terminal.warn : terminal.write)(overview(commands));
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    const hint = didYouMean(
      name,
      commands.map((known) => known.name),
    );
    terminal.warn(`there is no command ${printable(name)}:${hint} npm run tarsy -- --help lists them\n`);
    return EXIT.usage;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error("interrupted"));
  process.once("SIGINT", interrupt);
  try {
    const call = parse(command, rest);
    if (call === "help") {
      terminal.write(commandHelp(command));
      return EXIT.done;
    }
    return await command.run({ ...call, terminal, env, signal: interrupted.signal });
  } catch (error) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    terminal.warn(`${printable(sentence(error, command))}\n`);
    return codeOf(error);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

type Parsed = Pick<CommandCall, "positionals" | "option" | "flag">;

function parse(command: Command, args: readonly string[]): Parsed | "help" {
  const options: Command["options"] = { ...command.options, help: { help: "" } };
  const entries = Object.entries(options).map(
    ([name, { value }]) =>
      [name, { type: value === undefined ? ("boolean" as const) : ("string" as const) }] as const,
  );
  const { values, positionals } = parseOptions(args, Object.fromEntries(entries));
  const given = new Map<string, unknown>(Object.entries(values));
  if (given.get("help") === true) return "help";
  if (positionals.length > command.maxArgs) {
    throw new UsageError(
      `${positionals.length} arguments are too many: ${command.name} ${command.args}; quote one that has spaces`,
    );
  }
  for (const [name, { choices }] of Object.entries(command.options)) {
    const value = given.get(name);
    if (typeof value !== "string" || choices === undefined) continue;
    const unknown = value.split(",").find((one) => !choices.includes(one));
    if (unknown !== undefined) throw new UsageError(`--${name} is "${unknown}": use ${choices.join(", ")}`);
  }
  return {
    positionals,
    option: (name) => {
      const value = given.get(name);
      return typeof value === "string" ? value : undefined;
    },
    flag: (name) => given.get(name) === true,
  };
}

function parseOptions(args: readonly string[], options: Record<string, { type: "boolean" | "string" }>) {
  try {
    const short = args.map((arg) => (arg === "-h" ? "--help" : arg));
    return parseArgs({ args: short, allowPositionals: true, options });
  } catch (error) {
    // The parser's second sentence is about arguments that begin with a dash.
    const reason = errorMessage(error).split(". ", 1)[0] ?? "";
    const [, unknown] = /^Unknown option '(?:--)?([^']*)'/u.exec(reason) ?? [];
    const hint = unknown === undefined ? "" : didYouMean(unknown, Object.keys(options), "--");
    throw new UsageError(hint === "" ? reason : `${reason}:${hint}`, { cause: error });
  }
}

/** A question that follows a colon; empty if nothing is near. */
function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : ` did you mean ${prefix}${nearest}?`;
}

/** What went wrong, and what helps: the address and the token of `import` are not those of our api. */
function sentence(error: unknown, { options }: Command): string {
  if (!(error instanceof ApiFailure)) return errorMessage(error);
  const { message, status, allowed } = error;
  if (status === undefined) {
    const isApi = "api" in options && message.startsWith("no answer from ");
    return isApi ? `${message}: start TARSy with \`npm start\`, or name its address with --api` : message;
  }
  // The api speaks of headers; a terminal has a variable for them.
  if (status === 401) {
    const help = "token-env" in options ? "name its variable with --token-env" : "set TARSY_TOKEN";
    return `${message.split(/[:;] send (?:it|one)/u, 1)[0] ?? message}: ${help} (HTTP 401)`;
  }
  const list = allowed.length === 0 ? "" : `; allowed: ${allowed.join(", ")}`;
  return `${message}${list} (HTTP ${status})`;
}

function codeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof ApiFailure)) return EXIT.failed;
  const { status } = error;
  return status === undefined || status >= 500 ? EXIT.unreachable : EXIT.refused;
}

/** The terminal of this process. When the reader of the output goes, the process ends. */
function processTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.brokenPipe);
    throw error;
  });
  stderr.on("error", () => process.exit(EXIT.brokenPipe));
  const isTerminal = stdout.isTTY;
  return {
    write: (text) => void stdout.write(text),
    warn: (text) => void stderr.write(text),
    style: terminalStyle(isTerminal && (process.env["NO_COLOR"] ?? "") === ""),
    isTerminal,
    isInteractive: isTerminal && stdin.isTTY,
    columns: isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
}

/** The help of `tarsy` itself. */
function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, args, summary }) => [`${name} ${args}`.trim(), summary] as const);
  return `Usage: npm run tarsy -- COMMAND

${columns(rows)}
npm run tarsy -- COMMAND --help describes a command and its options.
`;
}

/** The help of one command. */
export function commandHelp({ name, args, summary, details, options }: Command): string {
  const all: Command["options"] = { ...options, help: { help: "shows this text" } };
  const rows = Object.entries(all).map(
    ([option, { value, help, choices }]) =>
      [
        `--${option}${value === undefined ? "" : ` ${value}`}`,
        `${help}${choices === undefined ? "" : `: ${choices.join(", ")}`}`,
      ] as const,
  );
  return `Usage: npm run tarsy -- ${name}${args === "" ? "" : ` ${args}`} [OPTIONS]

${summary}.
${details === undefined ? "" : `\n${details}\n`}
${columns(rows)}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
