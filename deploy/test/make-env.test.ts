import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const DEPLOY = join(import.meta.dirname, "..");

describe("make-env.sh", () => {
  it("adds to an existing file only the secrets that it lacks", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-env-"));
    try {
      const file = join(directory, "env");
      const make = async () => promisify(execFile)(join(DEPLOY, "make-env.sh"), [file]);
      await make();
      const whole = await readFile(file, "utf8");
      const missing = /^NATS_STREAM_ADMIN_PASSWORD=.*$/mu;
      const former = whole.replace(missing, "").trimEnd();
      await writeFile(file, former);
      await make();
      const upgraded = await readFile(file, "utf8");
      expect(upgraded).to.match(missing);
      expect(upgraded.startsWith(former)).to.equal(true);
      await make();
      expect(await readFile(file, "utf8")).to.equal(upgraded);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("writes a new secret for every password", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-env-"));
    try {
      const make = async (name: string) => {
        const file = join(directory, name);
        await promisify(execFile)(join(DEPLOY, "make-env.sh"), [file]);
        return readFile(file, "utf8");
      };
      const passwords = (text: string) =>
        [...text.matchAll(/^\w+_PASSWORD=(s[0-9a-f]{48})$/gmu)].map(([, p]) => p);
      const [one, other] = [passwords(await make("one")), passwords(await make("other"))];
      expect(one).to.have.length(12);
      expect(new Set([...one, ...other]).size).to.equal(24);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
