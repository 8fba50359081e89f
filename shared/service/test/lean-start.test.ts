import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { CHECKOUT, SERVICES } from "../../../test/support/spawn-service.ts";

const run = promisify(execFile);
/** Prints what the process has loaded when it ends: Node's own modules by name, all others by URL. */
const REPORT = `
import { registerHooks } from "node:module";
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
process.on("exit", () => process.stderr.write(JSON.stringify([...process.moduleLoadList, ...urls])));
`;
const PRELOAD = `data:text/javascript,${encodeURIComponent(REPORT)}`;

/** The executor has the most code. */
const SAMPLE = NIGHTLY ? SERVICES : (["executor"] as const);

/** One start of each service shows all. */
const loaded = new Map<string, Promise<string>>();

/** What the code of a service loads. */
function loadedBy(service: string): Promise<string> {
  const modules = loaded.get(service) ?? report(service);
  loaded.set(service, modules);
  return modules;
}

/** Starts a service, which ends because of an invalid setting. */
async function report(service: string): Promise<string> {
  const failure: unknown = await run(
    process.execPath,
    ["--import", PRELOAD, join(CHECKOUT, "services", service, "main.ts")],
    { cwd: CHECKOUT, env: { LOG_LEVEL: "none", LOG_FORMAT: "json" }, maxBuffer: 10_000_000 },
  ).catch((error: unknown) => error);
  expect(failure, service).to.have.property("code", 78);
  return failure instanceof Error && "stderr" in failure ? String(failure.stderr) : "";
}

describe("the start of a service", () => {
  for (const service of SAMPLE) {
    it(`loads typebox as one module for the ${service}`, async () => {
      const modules = await loadedBy(service);
      expect(modules).to.contain("shared/generated/typebox/typebox.mjs");
      expect(modules).not.to.contain("/node_modules/typebox/");
    });
  }

  for (const service of SAMPLE) {
    it(`loads nothing of OpenTelemetry's SDK for the ${service} while no traces are sent`, async () => {
      // The metrics' package loads the small one of its interfaces.
      expect(await loadedBy(service)).not.to.match(/node_modules\/@opentelemetry\/(?!api\/)/u);
    });
  }

  it("loads nothing of the Model Context Protocol for the api before a message of it comes", async () => {
    const modules = await loadedBy("api");
    expect(modules).to.contain("services/api/mcp/routes.ts");
    expect(modules).not.to.contain("services/api/mcp/serve-mcp.ts");
    expect(modules).not.to.contain("node_modules/@modelcontextprotocol/");
  });

  // The api is missing here: the package of its router imports `node:http`.
  for (const service of SAMPLE.filter((name) => name !== "api")) {
    it(`does not load fetch for the ${service}`, async () => {
      const modules = await loadedBy(service);
      expect(modules).to.contain("NativeModule http");
      expect(modules).not.to.contain("internal/deps/undici/undici");
    });
  }
});
