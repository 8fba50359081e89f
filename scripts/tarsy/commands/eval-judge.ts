import { resolve } from "node:path";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { TerminalError } from "#shared/errors.ts";
import { UsageError, type CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";
import { Counter } from "./eval-worlds.ts";

/** A judge that agrees with people less often is no measure. */
const LEAST = 0.95;

/** `tarsy eval judge [PROVIDER]` */
export async function measureJudge(call: CommandCall): Promise<number> {
  const { positionals, option, flag, terminal, signal, env } = call;
  const configDir = option("config-dir");
  const { measureJudge: run } = await import("../../../lab/evaluation/measure-judge.ts");
  using counter = new Counter(terminal);
  let found: Awaited<ReturnType<typeof run>>;
  try {
    found = await run({
      configDir: configDir === undefined ? undefined : resolve(env["INIT_CWD"] ?? process.cwd(), configDir),
      provider: positionals[1],
      env,
      progress: (done, all) => counter.show(`${done} of ${all} answers`),
      signal,
    });
  } catch (error) {
    const isWrong = error instanceof AgentConfigError || error instanceof TerminalError;
    throw isWrong ? new UsageError(error.message, { cause: error }) : error;
  }
  counter.erase();
  const { model, agreement, costUsd, differing } = found;
  const share = agreement.value ?? 0;
  if (flag("json")) terminal.write(`${JSON.stringify(found)}\n`);
  else {
    for (const { kind, said, statement, text, votes } of differing) {
      const label = said ? "says" : "does not say";
      terminal.write(
        printable(`${kind}, ${votes} votes: a person says that it ${label}: ${statement}\n  ${text}\n`),
      );
    }
    const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
    const cost = costUsd === null ? "the cost is unknown" : `${costUsd.toFixed(4)} USD`;
    terminal.write(
      printable(
        `${model} agrees with ${agreement.of - differing.length} of ${agreement.of} labels: ${percent(share)}, 95 % interval ${percent(agreement.low)} – ${percent(agreement.high)}; ${percent(LEAST)} is demanded; ${cost}\n`,
      ),
    );
  }
  return share >= LEAST ? EXIT.done : EXIT.failed;
}
