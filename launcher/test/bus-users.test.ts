import { expect } from "chai";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectPaths } from "../project-paths.ts";
import { createCheckout, npmStart, services } from "./checkout.ts";

/** The values of a JSON object by name, as text. */
function readTexts(path: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof value !== "object" || value === null) throw new Error(`${path} holds no object`);
  return new Map(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

describe("npm start", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-bus-users-"));
  const paths = projectPaths(root);

  before(() => createCheckout(root));
  after(() => rmSync(root, { recursive: true }));

  it("gives each service its own user of NATS, and only the api the one that creates streams", async () => {
    const start = npmStart(root);
    await start.prints("TARSy is ready at http://localhost:");
    const users = services.map((service) => {
      const folder = join(root, "services", service);
      // What the stub service wrote.
      const name = readdirSync(folder).find((file) => file.startsWith("env-")) ?? "";
      const env = readTexts(join(folder, name));
      const userOf = (variable: string) => URL.parse(env.get(variable) ?? "")?.username ?? "";
      return [service, userOf("NATS_URL"), userOf("NATS_ADMIN_URL")];
    });
    expect(users).to.have.deep.members([
      ["api", "api", "stream-admin"],
      ["executor", "executor", ""],
      ["llm-gateway", "", ""],
      ["notifier", "notifier", ""],
      ["tool-runner", "tool-runner", ""],
    ]);
    expect(statSync(paths.nats).mode & 0o777).to.equal(0o700);
    for (const name of ["passwords.json", "nats.conf"]) {
      expect(statSync(join(paths.nats, name)).mode & 0o777, name).to.equal(0o600);
    }
    // Neither in what is printed nor in the log of the server.
    const passwords = [...readTexts(join(paths.nats, "passwords.json")).values()];
    expect(new Set(passwords).size).to.equal(5);
    const logged = start.output() + readFileSync(join(paths.nats, "server.log"), "utf8");
    for (const password of passwords) expect(logged).not.to.include(password);
    start.child.kill("SIGTERM");
    expect(await start.exited).to.equal(0);
  });
});
