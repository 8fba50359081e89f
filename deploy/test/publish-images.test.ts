import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, "..");
const DIGEST = `sha256:${"0a".repeat(32)}`;
/** Neither containers nor a registry are on every machine: these write down what they are asked, and keep what is attested. */
const ENGINE = `#!/bin/sh
echo "engine $*" >> "$CALLS"
while [ $# -gt 0 ]; do [ "$1" = --digestfile ] && printf ${DIGEST} > "$2"; shift; done
`;
const COSIGN = `#!/bin/sh
echo "cosign $*" >> "$CALLS"
while [ $# -gt 0 ]; do [ "$1" = --predicate ] && cp "$2" "$CALLS.$(basename "$2")"; shift; done
exit 0
`;
const parseProvenance = compileParser(
  "provenance",
  Type.Object(
    {
      buildDefinition: Type.Object(
        {
          resolvedDependencies: Type.Array(
            Type.Object({
              uri: Type.String(),
              digest: Type.Optional(Type.Record(Type.String(), Type.String())),
            }),
          ),
        },
        { additionalProperties: true },
      ),
    },
    { additionalProperties: true },
  ),
);

describe("deploy/publish-images.sh", () => {
  it("signs and attests what the registry has, only on the clean commit of the release", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-publish-"));
    const root = directory.path;
    const programs = join(root, ".tarsy/bin");
    const calls = join(root, ".tarsy/calls");
    await mkdir(programs, { recursive: true });
    await mkdir(join(root, "deploy"));
    await mkdir(join(root, ".tarsy/release"));
    await writeFile(join(root, ".gitignore"), ".tarsy\n");
    await writeFile(join(root, ".tarsy/release/tarsy-1.4.0.cdx.json"), "{}");
    await writeFile(join(programs, "podman"), ENGINE, { mode: 0o755 });
    await writeFile(join(programs, "cosign"), COSIGN, { mode: 0o755 });
    await copyFile(join(DEPLOY, "publish-images.sh"), join(root, "deploy/publish-images.sh"));
    const compose = await readFile(join(DEPLOY, "podman-compose.yml"), "utf8");
    await writeFile(
      join(root, "deploy/podman-compose.yml"),
      compose.replace(/(NODE_IMAGE: .*)/u, `$1@${DIGEST}`),
    );
    const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}`, CALLS: calls };
    const git = (...args: readonly string[]) => run("git", args, { cwd: root });
    const publish = async (): Promise<string> => {
      const args = ["--key", "cosign.key", "registry.example.com/team", "1.4.0"];
      try {
        return (await run(join(root, "deploy/publish-images.sh"), args, { cwd: root, env })).stdout;
      } catch (error) {
        return error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
      }
    };
    await git("init", "--quiet");
    for (const [key, value] of [
      ["user.name", "A"],
      ["user.email", "a@example.com"],
    ] as const) {
      await git("config", key, value);
    }
    await git("config", "commit.gpgsign", "false");
    expect(await publish()).to.include("the tree has changes");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "All");
    expect(await publish()).to.include("the commit is not that of the tag v1.4.0");
    await git("tag", "v1.4.0");

    expect(await publish()).to.include(`published registry.example.com/team/tarsy-nats@${DIGEST}`);
    const lines = (await readFile(calls, "utf8")).trimEnd().split("\n");
    const images = ["tarsy", "tarsy-nats"].map((name) => `registry.example.com/team/${name}@${DIGEST}`);
    for (const image of images) {
      const signed = lines.filter((line) => line.startsWith("cosign") && line.endsWith(image));
      expect(signed.join("\n")).to.match(/^cosign sign .*--key cosign\.key .*\n.*--type slsaprovenance1 /u);
    }
    expect(lines.filter((line) => line.includes("--type cyclonedx"))).to.have.length(1);
    const provenance = parseProvenance(JSON.parse(await readFile(`${calls}.provenance.json`, "utf8")));
    const { stdout: commit } = await git("rev-parse", "HEAD");
    const [source, base] = provenance.buildDefinition.resolvedDependencies;
    expect(source?.digest).to.deep.equal({ gitCommit: commit.trim() });
    // Of NATS, the last one: its base has no digest in this file.
    expect(base?.uri).to.match(/^docker:\/\/docker\.io\/library\/nats:/u);
    const builds = lines.filter((line) => line.startsWith("engine build"));
    expect(builds.join("\n"))
      .to.include(`--build-arg NODE_IMAGE=docker.io/library/node:`)
      .and.include(`@${DIGEST}`);
    // Each for the processor of this machine at least.
    expect(builds.length).to.be.at.least(2);
  });
});
