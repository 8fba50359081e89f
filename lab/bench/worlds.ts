import { join } from "node:path";
import { COMMANDS } from "../../scripts/tarsy/commands.ts";
import { EXIT } from "../../scripts/tarsy/exit-codes.ts";
import { UsageError } from "../../scripts/tarsy/command.ts";
import { PROJECT_ROOT } from "../../scripts/tarsy/project-root.ts";
import { runTarsy } from "../../scripts/tarsy/run-tarsy.ts";
import type { Benchmark } from "./support/benchmark.ts";

const SUITE = join(PROJECT_ROOT, "lab/worlds/examples.yaml");

/** How often a configured model finds the fault in the worlds that are part of the project. */
export const worlds: Benchmark = {
  summary: "a configured model in the nine worlds of lab/worlds/examples: it costs money",
  usage: `usage: npm run bench -- worlds [options]

The same as npm run tarsy -- eval lab/worlds/examples.yaml, with its options; docs/proof.md says what the figures mean. The model is that of
npm start; CONFIG_DIR names another configuration. Results are kept in lab/worlds/examples.results.
`,
  run: async (args) => {
    const code = await runTarsy(["eval", SUITE, ...args], { commands: COMMANDS });
    if (code === EXIT.usage) throw new UsageError("nothing was run");
  },
};
