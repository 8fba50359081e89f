import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { UsageError, type Command } from "../command.ts";
import { API_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { writeSessionWorld } from "./cassette-world.ts";
import { CASSETTE_ENDING } from "../replay/find-cassettes.ts";
import { printable } from "../terminal/terminal-style.ts";

/** `tarsy cassette SESSION…` */
export const cassetteCommand: Command = {
  name: "cassette",
  args: "SESSION…",
  maxArgs: 1_000,
  summary: "Writes finished sessions to files, without secrets, for replay",
  options: {
    out: { value: "DIR", help: "where the files are written (default: the current directory)" },
    "as-world": { help: "writes one session that a person has rated accurate as a world for eval and try" },
    truth: { value: "FILE", help: "as-world: what is right; without it a draft is written" },
    merge: { value: "FILE", help: "as-world: adds the answers of another world of the same alert" },
    ...API_OPTION,
  },
  run: async (call) => {
    const { positionals, terminal, option, env, signal } = call;
    const userDir = env["INIT_CWD"] ?? process.cwd();
    if (positionals.length === 0) throw new UsageError("no SESSION given: name the id of one");
    const wrong = positionals.find((id) => !isUuid(id));
    if (wrong !== undefined) {
      throw new UsageError(`"${wrong}" is not the id of a session: npm run tarsy -- list shows them`);
    }
    const read = async (id: string) => {
      const cassette = await apiOf(call).call("GET /api/v1/sessions/:id/cassette", {
        params: { id },
        signal,
      });
      const text = `${JSON.stringify(cassette, undefined, 1)}\n`;
      const parsed = parseCassette(text);
      const { masked } = parsed;
      if (masked.length > 0) {
        const places = masked.length === 1 ? "1 place" : `${masked.length} places`;
        terminal.warn(
          `${printable(id)}: secrets were masked in ${places}, such as ${printable(masked[0] ?? "")}\n`,
        );
      }
      return { text, cassette: parsed };
    };
    if (call.flag("as-world")) {
      const [given = "", second] = positionals;
      if (second !== undefined) throw new UsageError("--as-world takes one SESSION");
      const id = given.toLowerCase();
      return writeSessionWorld(call, id, async () => (await read(id)).cassette);
    }
    for (const name of ["truth", "merge"]) {
      if (option(name) !== undefined) throw new UsageError(`--${name} needs --as-world`);
    }
    const directory = resolve(userDir, option("out") ?? ".");
    await mkdir(directory, { recursive: true });
    for (const given of positionals) {
      const id = given.toLowerCase();
      const { text } = await read(id);
      const file = join(directory, `${id}${CASSETTE_ENDING}`);
      // A command that is interrupted leaves no half file of this name.
      await writeFile(`${file}.part`, text);
      await rename(`${file}.part`, file);
      terminal.write(`${printable(relative(userDir, file))}\n`);
    }
    return EXIT.done;
  },
};
