import { completionScript, SHELLS } from "../completion-script.ts";
import { UsageError, type Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy completion bash|zsh|fish`, for these commands and itself. */
export function completionCommand(others: readonly Command[]): Command {
  const command: Command = {
    name: "completion",
    args: SHELLS.join(" | "),
    maxArgs: 1,
    summary: "Prints a completion script for the shell",
    details: `The shell completes the word tarsy: alias tarsy='npm --prefix DIRECTORY run --silent tarsy --'
bash: source <(tarsy completion bash)   zsh: source <(tarsy completion zsh)   fish: tarsy completion fish | source`,
    words: SHELLS,
    options: {},
    run: async ({ positionals: [name], terminal }) => {
      const shell = SHELLS.find((known) => known === name);
      if (shell === undefined) throw new UsageError(`completion ${name ?? ""}: use ${SHELLS.join(", ")}`);
      terminal.write(completionScript(shell, [...others, command]));
      return Promise.resolve(EXIT.done);
    },
  };
  return command;
}
