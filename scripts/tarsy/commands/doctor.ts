import type { Command } from "../command.ts";
import { CONFIG_DIR_OPTION, existingDirectory } from "../config-dir.ts";
import { API_OPTION, JSON_OPTION } from "../connection.ts";

/** `tarsy doctor` */
export const doctorCommand: Command = {
  name: "doctor",
  args: "",
  maxArgs: 0,
  summary: "Checks each server with a pack: credentials, start, tools, probe; exit code 1 if one fails",
  details: `Starts each server as the tool-runner does, compares its tools with the pack and with what was accepted, and makes the call of
the probe. Asks the api, if one answers, since when a server fails there.`,
  options: { ...CONFIG_DIR_OPTION, ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const directory = existingDirectory(call);
    const { runDoctor } = await import("../packs/run-doctor.ts");
    return runDoctor(call, directory);
  },
};
