// Installs or removes the pack of a folder, for tests that kill it. Arguments: folder, name, directory of installed packs, work.
import { argv, env } from "node:process";
import { loadPack } from "#shared/agent-config/read-packs.ts";
import { installPack, removePack } from "../packs/install-pack.ts";

const [folder = "", name = "", directory = "", work] = argv.slice(2);
const pack = await loadPack(folder, name);
const options = { directory, env, signal: new AbortController().signal, progress: () => undefined };
await (work === "remove" ? removePack(pack, options) : installPack({ pack, folder }, options));
