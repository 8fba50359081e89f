import type { Command } from "./command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A script that completes the commands, their first words and their options, and files elsewhere. */
export function completionScript(shell: (typeof SHELLS)[number], commands: readonly Command[]): string {
  return shell === "fish" ? fish(commands) : `${shell === "zsh" ? ZSH_HEAD : ""}${bash(commands)}`;
}

/** zsh runs completions of bash. */
const ZSH_HEAD = "autoload -U +X bashcompinit && bashcompinit\n";

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    ({ name, options, words = [] }) =>
      `    ${name}) words="${[...words, ...optionsOf(options)].join(" ")}" ;;\n`,
  );
  return `_tarsy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(" ")} help"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join("")}    *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tarsy tarsy
`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options, words = [] }) => {
    const isThis = `-n "__fish_seen_subcommand_from ${name}"`;
    return [
      `complete -c tarsy -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(words.length === 0 ? [] : [`complete -c tarsy ${isThis} -f -a "${words.join(" ")}"`]),
      ...Object.entries(options).map(
        ([option, { value, help }]) =>
          `complete -c tarsy ${isThis} -l ${option}${value === undefined ? "" : " -r"} -d ${quoted(help)}`,
      ),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function optionsOf(options: Command["options"]): string[] {
  return [...Object.keys(options), "help"].map((option) => `--${option}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
