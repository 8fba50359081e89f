import type { Command } from "./command.ts";
import { acpCommand } from "./commands/acp.ts";
import { addCommand } from "./commands/add.ts";
import { alertsCommand } from "./commands/alerts.ts";
import { alertCommand } from "./commands/alert.ts";
import { approveCommand } from "./commands/approve.ts";
import { budgetsCommand } from "./commands/budgets.ts";
import { cancelCommand } from "./commands/cancel.ts";
import { cassetteCommand } from "./commands/cassette.ts";
import { chatCommand } from "./commands/chat.ts";
import { compareCommand } from "./commands/compare.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { connectCommand } from "./commands/connect.ts";
import { evalCommand } from "./commands/eval.ts";
import { forkCommand } from "./commands/fork.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { keysCommand } from "./commands/keys.ts";
import { listCommand } from "./commands/list.ts";
import { notificationsCommand } from "./commands/notifications.ts";
import { parkCommand } from "./commands/park.ts";
import { replayCommand } from "./commands/replay.ts";
import { resumeCommand } from "./commands/resume.ts";
import { scoreCommand } from "./commands/score.ts";
import { showCommand } from "./commands/show.ts";
import { steerCommand } from "./commands/steer.ts";
import { tryCommand } from "./commands/try.ts";
import { watchCommand } from "./commands/watch.ts";

const WORKING = [
  alertCommand,
  watchCommand,
  listCommand,
  showCommand,
  alertsCommand,
  cancelCommand,
  parkCommand,
  resumeCommand,
  approveCommand,
  steerCommand,
  scoreCommand,
  chatCommand,
  forkCommand,
  compareCommand,
  cassetteCommand,
  replayCommand,
  budgetsCommand,
  evalCommand,
  tryCommand,
  initCommand,
  addCommand,
  doctorCommand,
  configCommand,
  connectCommand,
  keysCommand,
  importCommand,
  notificationsCommand,
  acpCommand,
];

/** Every command of `tarsy`, in the order of its help. */
export const COMMANDS: readonly Command[] = [...WORKING, completionCommand(WORKING)];
