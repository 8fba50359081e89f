import type { Command } from "./command.ts";
import { alertCommand } from "./commands/alert.ts";
import { approveCommand } from "./commands/approve.ts";
import { cancelCommand } from "./commands/cancel.ts";
import { chatCommand } from "./commands/chat.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { initCommand } from "./commands/init.ts";
import { keysCommand } from "./commands/keys.ts";
import { listCommand } from "./commands/list.ts";
import { parkCommand } from "./commands/park.ts";
import { resumeCommand } from "./commands/resume.ts";
import { scoreCommand } from "./commands/score.ts";
import { showCommand } from "./commands/show.ts";
import { steerCommand } from "./commands/steer.ts";
import { watchCommand } from "./commands/watch.ts";

const WORKING = [
  alertCommand,
  watchCommand,
  listCommand,
  showCommand,
  cancelCommand,
  parkCommand,
  resumeCommand,
  approveCommand,
  steerCommand,
  scoreCommand,
  chatCommand,
  initCommand,
  configCommand,
  keysCommand,
];

/** Every command of `tarsy`, in the order of its help. */
export const COMMANDS: readonly Command[] = [...WORKING, completionCommand(WORKING)];
