import { packNames, SHIPPED_PACKS } from "#shared/agent-config/read-packs.ts";
import { UsageError, type Command } from "../command.ts";
import { CONFIG_DIR_OPTION, ownDirectory } from "../config-dir.ts";

/** `tarsy add NAME` */
export const addCommand: Command = {
  name: "add",
  args: "NAME",
  maxArgs: 1,
  summary: "Installs a pack, a known MCP server, checks it, and adds it to the configuration",
  details: `NAME is a pack that comes with TARSy (${packNames(SHIPPED_PACKS).join(", ")}),
one of the directory's own in packs/, or a file such as ./mine.yaml. Installs the exact version below .tarsy/packs, without scripts of
packages, compares what the server lists with the pack, makes the call of its probe, and writes mcp_servers and .env.`,
  options: {
    url: { value: "URL", help: "the address of the system, written to .env" },
    "token-env": {
      value: "NAME",
      help: "the variable with the token, if not that of the pack; no token is written",
    },
    "dry-run": { help: "says what would be installed and set, and does nothing" },
    list: {
      help: "writes the tools that the server of the file NAME lists into that file, with guessed effects to review",
    },
    accept: { help: "shows the tools of server NAME that are held back, and accepts them" },
    remove: { help: "removes server NAME, its program and what was accepted" },
    yes: { help: "answers every question with yes" },
    ...CONFIG_DIR_OPTION,
  },
  run: async (call) => {
    const [name] = call.positionals;
    if (name === undefined) {
      throw new UsageError(`no NAME given: use ${packNames(ownDirectory(call)).join(", ")}, or a file`);
    }
    // Loaded now: the client of MCP servers would slow down every other command.
    if (call.flag("remove") || call.flag("accept")) {
      const { acceptTools, removeServerOf } = await import("../packs/change-server.ts");
      return call.flag("remove") ? removeServerOf(call, name) : acceptTools(call, name);
    }
    const { addPack } = await import("../packs/add-pack.ts");
    return addPack(call, name, ownDirectory(call));
  },
};
