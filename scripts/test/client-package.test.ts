import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { ApiFixture } from "../../services/api/test/api-fixture.ts";
import { CHECKOUT } from "../../test/support/spawn-service.ts";
import { writeClientPackage } from "../client-package.ts";

const run = promisify(execFile);
const MODULES = join(CHECKOUT, "node_modules");
/** The Node that runs the tests, and an older one where the environment names it. */
const NODES = [process.execPath, ...(process.env["NODE_22"] === undefined ? [] : [process.env["NODE_22"]])];

const SAMPLE = `import { ApiClient, ApiFailure, followSession, type ApiResponse } from "tarsy-client";

const api = new ApiClient({ url: process.env["TARSY_API_URL"] ?? "" });
const { session_id } = await api.call("POST /api/v1/alerts", { body: { data: "disk full" } });
const session: ApiResponse<"GET /api/v1/sessions/:id/status"> = await api.call("GET /api/v1/sessions/:id/status", {
  params: { id: session_id ?? "" },
});
const status: "pending" | "in_progress" | "cancelling" | "completed" | "failed" | "cancelled" | "timed_out" = session.status;
// @ts-expect-error: there is no such route
const unknown = await api.call("GET /api/v1/nothing").catch((error: unknown) => error);
console.log(status, unknown instanceof ApiFailure ? unknown.status : unknown, typeof followSession);
`;

describe("the package tarsy-client", () => {
  let api: ApiFixture;
  let directory: string;

  before(async () => {
    api = await ApiFixture.start();
    directory = await mkdtemp(join(tmpdir(), "tarsy-client-"));
    await writeClientPackage(join(directory, "package"), "1.2.3");
    const { stdout } = await run("npm", ["pack", "--json", "./package"], { cwd: directory });
    expect(stdout).to.contain("tarsy-client-1.2.3.tgz");
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    const install = ["install", "--offline", "--no-audit", "--no-fund", "./tarsy-client-1.2.3.tgz"];
    await run("npm", install, { cwd: directory });
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await api[Symbol.asyncDispose]();
  });

  it("is typed for a strict compiler, and talks to the api", async () => {
    await writeFile(join(directory, "sample.ts"), SAMPLE);
    const types = ["--typeRoots", join(MODULES, "@types"), "--types", "node"];
    const options = ["--strict", "--target", "es2024", "--module", "nodenext", "--outDir", "out"];
    await run(process.execPath, [join(MODULES, ".bin/tsc"), ...options, ...types, "sample.ts"], {
      cwd: directory,
    });
    const env = { ...process.env, TARSY_API_URL: `http://127.0.0.1:${api.port}` };
    for (const node of NODES) {
      const { stdout } = await run(node, ["out/sample.js"], { cwd: directory, env });
      expect(stdout, node).to.equal("pending 404 function\n");
    }
  });

  it("has a command that lists sessions, in its own name", async () => {
    const env = { ...process.env, TARSY_API_URL: `http://127.0.0.1:${api.port}` };
    const command = join(directory, "node_modules/tarsy-client/tarsy.js");
    for (const node of NODES) {
      const listed = await run(node, [command, "list", "--json"], { cwd: directory, env });
      expect(JSON.parse(listed.stdout), node).to.have.property("sessions");
      const help = await run(node, [command, "acp", "--help"], { cwd: directory, env });
      expect(help.stdout, node).to.match(/^Usage: tarsy acp/u);
    }
  });
});
