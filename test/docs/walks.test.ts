import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../launcher/prepare.mjs";
import { copyRepository } from "../support/copy-repository.ts";
import { describeNightly } from "../support/nightly.ts";

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
  // The servers and bundles of this run are those of the checkout.
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("TEST_"));
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: directory,
    input,
    encoding: "utf8",
    env: { ...Object.fromEntries(others), PATH },
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
  let walks: ReadonlyMap<string, readonly Step[]>;
  let steps: readonly Step[];

  before(async () => {
    walks = await readWalks();
    steps = [...walks.values()].flat();
  });

  it("are three, each with files and commands", () => {
    expect([...walks.keys()]).to.deep.equal(["A provider type", "An endpoint", "A strategy"]);
    for (const walk of walks.values()) {
      expect(walk.map(({ kind }) => kind)).to.include.members(["diff", "ts", "sh"]);
    }
  });

  it("find the lines that they add to, and leave files whose format is ours", async () => {
    await using copy = await mkdtempDisposable(join(tmpdir(), "tarsy-walks-"));
    const files = new Set(steps.flatMap(({ file }) => (file === "" ? [] : [file])));
    const edited = steps.filter(({ kind }) => kind === "diff").map(({ file }) => file);
    for (const file of [".oxfmtrc.json", ...new Set(edited)]) {
      await mkdir(dirname(join(copy.path, file)), { recursive: true });
      await cp(join(projectRoot, file), join(copy.path, file));
    }
    for (const step of steps) await follow(copy.path, step);
    run(copy.path, [join(projectRoot, "node_modules/.bin/oxfmt"), "--check", ...files]);
  });

  // The compiler and the commands, which run whole systems, take a minute.
  describeNightly("in a copy of the repository", () => {
    const resources = new AsyncDisposableStack();
    let directory: string;

    before(async () => {
      directory = resources.use(await copyRepository()).path;
      for (const step of steps) await follow(directory, step);
    });
    after(() => resources.disposeAsync());

    it("leave code whose types are right", () => {
      run(directory, ["npx", "tsc", "--noEmit"]);
    });

    for (const title of ["A provider type", "An endpoint", "A strategy"]) {
      it(`work as typed: ${title}`, () => {
        const commands = (walks.get(title) ?? []).filter(({ kind }) => kind === "sh");
        for (const command of commands.flatMap(({ text }) => text.split("\n"))) {
          const output = run(directory, ["bash", "-c", command]);
          if (command.includes("mocha")) expect(output, command).to.match(/^[1-9]\d* passed, 0 failed/mu);
        }
      });
    }
  });
});
