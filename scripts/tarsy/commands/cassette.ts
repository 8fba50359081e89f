import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { UsageError, type Command } from "../command.ts";
import { API_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
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
    const directory = resolve(userDir, option("out") ?? ".");
    await mkdir(directory, { recursive: true });
    for (const given of positionals) {
      const id = given.toLowerCase();
      const cassette = await apiOf(call).call("GET /api/v1/sessions/:id/cassette", {
        params: { id },
        signal,
      });
      const text = `${JSON.stringify(cassette, undefined, 1)}\n`;
      const { masked } = parseCassette(text);
      const file = join(directory, `${id}${CASSETTE_ENDING}`);
      // A command that is interrupted leaves no half file of this name.
      await writeFile(`${file}.part`, text);
      await rename(`${file}.part`, file);
      terminal.write(`${printable(relative(userDir, file))}\n`);
      if (masked.length > 0) {
        const places = masked.length === 1 ? "1 place" : `${masked.length} places`;
        terminal.warn(
          `${printable(id)}: secrets were masked in ${places}, such as ${printable(masked[0] ?? "")}\n`,
        );
      }
    }
    return EXIT.done;
  },
};
