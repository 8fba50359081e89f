import type { Command } from "./command.ts";

/** The help of `tarsy` itself. */
export function overview(commands: readonly Command[]): string {
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
