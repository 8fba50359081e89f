import { expect } from "chai";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { until } from "../../test/support/until.ts";
import { parseProcessIdentity } from "../process/process-identity.mjs";
import { projectPaths } from "../project-paths.ts";
import {
  addNewCluster,
  createCheckout,
  createEditableCheckout,
  npmStart,
  services,
  type Start,
} from "./checkout.ts";

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function pidOf(identity: unknown): number {
  return parseProcessIdentity(identity)?.pid ?? Number.NaN;
}

/** Reads the answer of the api until it has what is wanted. */
async function untilAnswer(url: string, isWanted: (body: string) => boolean): Promise<string> {
  const found = await until(`an answer of ${url}`, async () => {
    const body = await (await fetch(url)).text();
    return isWanted(body) ? { body } : undefined;
  });
  return found.body;
}

/** `npm test` edits stubs of the services, which import these files; the nightly run edits the services. */
const SHARED = NIGHTLY ? "shared/contracts/result-sizes.ts" : "services/shared.ts";

function createStubs(root: string): void {
  createCheckout(root);
  for (const file of [SHARED, "services/api/app.ts", "services/api/config.ts"]) {
    writeFileSync(join(root, file), "export {};\n");
  }
  for (const [service, files] of [
    ["api", ["./app.ts", "./config.ts"]],
    ["executor", ["../shared.ts"]],
    ["tool-runner", ["../shared.ts"]],
  ] as const) {
    const main = join(root, "services", service, "main.ts");
    const imports = files.map((file) => `import "${file}";\n`).join("");
    writeFileSync(main, `${imports}${readFileSync(main, "utf8")}`);
  }
}

describe("npm run dev", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-dev-"));
  let start: Start;
  let api = "";

  before(async () => {
    (NIGHTLY ? createEditableCheckout : createStubs)(root);
    await addNewCluster(root);
    start = npmStart(root, [], { INSPECT_PORT: "0" }, false, "dev");
    await start.prints(/stop +Ctrl-C/u);
    api = /TARSy is ready at (http:\S+)\//u.exec(start.output())?.[1] ?? "";
  });
  after(async () => {
    start.child.kill("SIGTERM");
    await start.exited;
    rmSync(root, { recursive: true });
  });

  const path = (name: string): string => join(root, name);
  const append = (name: string, text: string): void => appendFileSync(path(name), text);
  const pids = (): ReadonlyMap<string, number> => {
    const record = readJson(projectPaths(root).runRecord);
    const entries: readonly [string, unknown][] = Object.entries(
      typeof record === "object" && record !== null ? record : {},
    );
    return new Map(entries.map(([name, one]) => [name, pidOf(one)]));
  };
  /** Resolves when each of the services is ready after `act`; the others must have the processes they had. */
  const restarts = async (names: readonly string[], act: () => void): Promise<string> => {
    const before = pids();
    const from = start.output().length;
    act();
    for (const name of names) await start.prints(new RegExp(`${name} +\\| ready again`, "u"), from);
    for (const name of services) {
      if (names.includes(name)) expect(pids().get(name), name).not.to.equal(before.get(name));
      else expect(pids().get(name), name).to.equal(before.get(name));
    }
    return start.output().slice(from);
  };

  it("prints the inspectors of all services, which answer", async () => {
    const line = /inspectors +(.+)/u.exec(start.output())?.[1] ?? "";
    const addresses = line.split(", ").map((one) => one.split(" "));
    expect(addresses.map(([name]) => name)).to.have.members([...services]);
    for (const [name, address] of addresses) {
      const answer = await fetch(`http://${address}/json/version`);
      expect(await answer.json(), name).to.have.property("Browser", `node.js/${process.version}`);
    }
  });

  it("restarts only the service that imports a changed file, once for several saves", async () => {
    const launcher = pidOf(readJson(projectPaths(root).lock));
    const output = await restarts(["api"], () => {
      // It finds all saves when it goes on, however long they take.
      process.kill(launcher, "SIGSTOP");
      for (const name of ["app.ts", "config.ts", "app.ts"]) append(`services/api/${name}`, "\n// changed\n");
      process.kill(launcher, "SIGCONT");
    });
    expect(output).to.match(/restarting: services\/api\/\w+\.ts and 1 more changed/u);
    expect(output.match(/restarting/gu)).to.have.length(1);
  });

  it("restarts the services that import a shared file", async () => {
    await restarts(["executor", "tool-runner"], () => append(SHARED, "\n// changed\n"));
  });

  it("says why a service with a mistake does not start, and starts it when that is corrected", async () => {
    const before = pids();
    const source = readFileSync(path("services/api/app.ts"), "utf8");
    const from = start.output().length;
    writeFileSync(path("services/api/app.ts"), `${source}\nconst = ;\n`);
    await start.prints(/api +\| does not start \(exit code 1\)/u, from);
    expect(start.output().slice(from)).to.include("services/api/app.ts:").and.include("SyntaxError");
    writeFileSync(path("services/api/app.ts"), source);
    await start.prints(/api +\| ready again/u, from);
    if (NIGHTLY) expect((await fetch(`${api}/health`)).status).to.equal(200);
    for (const name of services.filter((one) => one !== "api")) {
      expect(pids().get(name), name).to.equal(before.get(name));
    }
  });

  it("starts a service again whose missing file appears", async () => {
    const source = readFileSync(path("services/notifier/main.ts"), "utf8");
    const from = start.output().length;
    writeFileSync(path("services/notifier/main.ts"), `import "./later.ts";\n${source}`);
    await start.prints(/notifier +\| does not start/u, from);
    writeFileSync(path("services/notifier/later.ts"), "export {};\n");
    await start.prints(/notifier +\| ready again/u, from);
  });

  if (!NIGHTLY) return;

  it("restarts who reads a changed configuration, unless that cannot be used", async () => {
    const file = path("deploy/config/demo/tarsy.yaml");
    const source = readFileSync(file, "utf8");
    const before = pids();
    const from = start.output().length;
    writeFileSync(file, `${source}\nbad: [\n`);
    await start.prints("the services keep the configuration they have", from);
    expect(pids()).to.deep.equal(before);
    const output = await restarts(["api", "executor", "tool-runner"], () =>
      writeFileSync(file, `${source}\n# good\n`),
    );
    expect(output).to.include("deploy/config/demo/tarsy.yaml changed");
  });

  it("rebuilds the page, which the running api serves", async () => {
    const before = pids();
    await untilAnswer(api, (body) => body.includes("<!doctype html>"));
    const file = path("services/web/index.html");
    writeFileSync(file, readFileSync(file, "utf8").replace("</head>", '<meta name="changed" /></head>'));
    expect(await untilAnswer(api, (body) => body.includes('name="changed"'))).to.include("/assets/main-");
    expect(pids()).to.deep.equal(before);
  });

  it("completes a session whose executor is restarted, which is no takeover", async () => {
    const answer = await fetch(`${api}/api/v1/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: "Certificate of shop.example.com has expired" }),
    });
    const submitted: unknown = await answer.json();
    const id =
      typeof submitted === "object" && submitted !== null && "session_id" in submitted
        ? String(submitted.session_id)
        : "";
    const session = `${api}/api/v1/sessions/${id}`;
    await untilAnswer(session, (body) => body.includes('"event_type":"llm_'));
    await restarts(["executor"], () => append("services/executor/core/wait.ts", "\n// changed\n"));
    await untilAnswer(session, (body) => /^\{[^[]*"status":"(?:completed|failed)"/u.test(body));
    expect(await (await fetch(session)).text()).to.match(/^\{[^[]*"status":"completed"/u);
  });

  it("restarts a service whose thread imports a changed file", async () => {
    await restarts(["api", "executor", "tool-runner"], () =>
      append("shared/masking/worker/mask-worker.ts", "\n// changed\n"),
    );
  });
});
