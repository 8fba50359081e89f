import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../launcher/prepare.mjs";
import { copyRepository } from "../support/copy-repository.ts";
import { NIGHTLY } from "../support/nightly.ts";

/** What a reader types in one step: an edit, a new file, or commands. */
interface Step {
  readonly kind: string;
  /** The file that the paragraph before the block names. */
  readonly file: string;
  readonly text: string;
}

const BLOCK = /^\*\*\d+\.(?: `([^`]+)`)?\*\*[^\n]*(?:\n[^\n]+)*\n\n```(\w+)\n([\s\S]*?)\n```$/gmu;

/** The steps of CONTRIBUTING.md by the titles of its walks. */
async function readWalks(): Promise<ReadonlyMap<string, readonly Step[]>> {
  const page = await readFile(join(projectRoot, "CONTRIBUTING.md"), "utf8");
  const walks = page.split(/^### /mu).slice(1);
  return new Map(
    walks.map((walk) => {
      const steps = [...walk.matchAll(BLOCK)].map(([, file = "", kind = "", text = ""]) => ({
        kind,
        file,
        text,
      }));
      return [walk.split("\n", 1)[0] ?? "", steps] as const;
    }),
  );
}

/** Runs a program in the copy, on the Node of this process; returns its output. Fails the test if the program fails. */
function run(directory: string, command: readonly string[], input = ""): string {
  const [program = "", ...args] = command;
  const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: directory,
    input,
    encoding: "utf8",
    env: { ...process.env, PATH },
  });
  expect(status, `${command.join(" ")}\n${input}\n${stdout}${stderr}`).to.equal(0);
  return stdout;
}

/** Adds the lines with `+` behind the lines before them. A line is found by its beginning. */
async function edit(path: string, text: string): Promise<void> {
  const lines = (await readFile(path, "utf8")).split("\n");
  for (const hunk of text.split(/^@@$/mu)) {
    const wanted = hunk.split("\n").filter((line) => line !== "");
    const old = wanted.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
    const at = lines.findIndex((_, index) =>
      old.every((line, offset) => lines[index + offset]?.startsWith(line) === true),
    );
    expect(at, `${path} has no place for\n${hunk}`).to.be.at.least(0);
    let next = at;
    for (const line of wanted) {
      if (line.startsWith("+")) lines.splice(next, 0, line.slice(1));
      next += 1;
    }
  }
  await writeFile(path, lines.join("\n"));
}

async function follow(directory: string, { kind, file, text }: Step): Promise<void> {
  const path = join(directory, file);
  if (kind === "diff") await edit(path, text);
  if (kind === "ts") {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${text}\n`);
  }
}

describe("the walks of CONTRIBUTING.md", () => {
  const resources = new AsyncDisposableStack();
  let directory: string;
  let walks: ReadonlyMap<string, readonly Step[]>;

  before(async () => {
    walks = await readWalks();
    directory = resources.use(await copyRepository()).path;
    // With what the compiler knows of the checkout, it reads again only what the walks change.
    const known = ".tarsy/types.tsbuildinfo";
    if (existsSync(join(projectRoot, known))) await cp(join(projectRoot, known), join(directory, known));
    for (const step of [...walks.values()].flat()) await follow(directory, step);
  });
  after(() => resources.disposeAsync());

  it("are three, each with files and commands", () => {
    expect([...walks.keys()]).to.deep.equal(["A provider type", "An endpoint", "A strategy"]);
    for (const steps of walks.values()) {
      expect(steps.map(({ kind }) => kind)).to.include.members(["diff", "ts", "sh"]);
    }
  });

  it("leave code whose types are right and whose format is ours", () => {
    run(directory, ["npx", "tsc", "--noEmit"]);
    const files = [...walks.values()].flat().filter(({ file }) => file !== "");
    run(directory, ["npx", "oxfmt", "--check", ...new Set(files.map(({ file }) => file))]);
  });

  // The commands of the others run whole systems; that the code of all fits is tested above.
  for (const title of NIGHTLY ? ["A provider type", "An endpoint", "A strategy"] : ["An endpoint"]) {
    it(`work as typed: ${title}`, () => {
      const commands = (walks.get(title) ?? []).filter(({ kind }) => kind === "sh");
      for (const command of commands.flatMap(({ text }) => text.split("\n"))) {
        const output = run(directory, ["bash", "-c", command]);
        if (command.includes("mocha")) expect(output, command).to.match(/^[1-9]\d* passed, 0 failed/mu);
      }
    });
  }
});
