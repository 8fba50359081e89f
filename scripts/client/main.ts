import { acpCommand } from "../tarsy/commands/acp.ts";
import { alertCommand } from "../tarsy/commands/alert.ts";
import { approveCommand } from "../tarsy/commands/approve.ts";
import { cancelCommand } from "../tarsy/commands/cancel.ts";
import { chatCommand } from "../tarsy/commands/chat.ts";
import { listCommand } from "../tarsy/commands/list.ts";
import { showCommand } from "../tarsy/commands/show.ts";
import { steerCommand } from "../tarsy/commands/steer.ts";
import { watchCommand } from "../tarsy/commands/watch.ts";
import { runTarsy } from "../tarsy/run-tarsy.ts";

// `tarsy …` of the package: the commands that need nothing but the api.
process.exitCode = await runTarsy(process.argv.slice(2), {
  commands: [
    alertCommand,
    watchCommand,
    listCommand,
    showCommand,
    cancelCommand,
    approveCommand,
    steerCommand,
    chatCommand,
    acpCommand,
  ],
});
