import { execFile, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  mkdtempDisposable,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolListReplyCodec, toolListRequestCodec, type ToolListReply } from "#shared/contracts/tool-list.ts";
import { BackingServers } from "../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../test/support/config-directory.ts";
import { describeNightly } from "../../test/support/nightly.ts";
import {
  CHECKOUT,
  HEALTH_VARIABLE,
  SERVICES,
  spawnService,
  type ServiceName,
} from "../../test/support/spawn-service.ts";
import { TEST_GATEWAY_TOKEN } from "../../test/support/gateway-token.ts";
import { testPort } from "../../test/support/test-port.ts";
import { until } from "../../test/support/until.ts";
import { untilReady } from "../../test/support/until-ready.ts";
import { bundleProgram } from "../bundle/bundle-services.ts";
import { collectLicences } from "../bundle/collect-licences.ts";

const run = promisify(execFile);
const BUNDLER = join(import.meta.dirname, "../bundle/main.ts");

interface Bundle {
  readonly resources: AsyncDisposableStack;
  readonly servers: BackingServers;
  readonly directory: string;
  readonly name: ServiceName;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a service from its bundle; resolves with its health port once it is ready. */
async function startBundle({ resources, servers, directory, name, env }: Bundle): Promise<number> {
  const healthPort = await testPort();
  const child = spawnService({
    name,
    env: {
      ...env,
      ...servers.natsEnvironment(name),
      ...(name === "llm-gateway" ? {} : { DATABASE_URL: servers.postgres.serviceUrls[name] }),
      [HEALTH_VARIABLE[name]]: String(healthPort),
    },
    output: "pipe",
    checkout: directory,
    entry: join(directory, "services", name, "main.mjs"),
  });
  resources.defer(() => endProcess(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-10_000)));
  }
  await untilReady(name, child, healthPort, () => output);
  return healthPort;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function expectLateCode(bundle: string): Promise<void> {
  const files = await readdir(bundle);
  expect(
    files.some((name) => /^pino-pretty-\w+\.mjs$/u.test(name)),
    bundle,
  ).to.equal(true);
  expect(await readFile(join(bundle, "main.mjs"), "utf8")).not.to.match(
    /GoogleGenAI|ChatOpenAI|ChatAnthropic/u,
  );
}

describe("the bundle of a service", () => {
  it("loads the code that formats logs and the SDKs of providers with the first use, and has its licences", async () => {
    await using bundle = await mkdtempDisposable(join(tmpdir(), "tarsy-bundle-"));
    const made = await bundleProgram(CHECKOUT, "services/llm-gateway", bundle.path);
    await expectLateCode(bundle.path);
    // By its name, as the client of Google's authorization asks for it behind a proxy.
    const chunk = (await readdir(bundle.path)).find((name) => name.startsWith("https-proxy-agent-"));
    const loaded: unknown = await import(join(bundle.path, chunk ?? "none"));
    expect(loaded).to.have.property("HttpsProxyAgent").that.is.a("function");
    const licences = await collectLicences(CHECKOUT, [made]);
    for (const name of ["@google/genai", "@grpc/grpc-js", "pino"]) {
      expect(licences).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "mu"));
    }
    expect(licences).to.contain("Permission is hereby granted");
  });

  it("loads what TLS needs when a package first uses it", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "tarsy-bundle-"));
    const source = `const tls = require("tls");
      const https = require("node:https");
      const isLoaded = () => process.moduleLoadList.includes("NativeModule tls");
      const socket = new (require("node:net").Socket)();
      const before = [isLoaded(), socket instanceof tls.TLSSocket];
      const { Agent } = https;
      class OwnAgent extends Agent {}
      const copy = { ...tls };
      const secure = tls.connect({ socket });
      secure.once("error", () => undefined).destroy();
      console.log(JSON.stringify([before, [isLoaded(), secure instanceof tls.TLSSocket, new OwnAgent() instanceof Agent, copy.connect === tls.connect]]));`;
    await writeFile(join(folder.path, "late.cjs"), source);
    await writeFile(join(folder.path, "main.ts"), `import "./late.cjs";\n`);
    await bundleProgram(folder.path, ".", join(folder.path, "out"));
    const { stdout } = await run(process.execPath, [join(folder.path, "out/main.mjs")]);
    expect(JSON.parse(stdout)).to.deep.equal([
      [false, false],
      [true, true, true, true],
    ]);
  });
});

// The test run itself bundles each service without the page and the MCP server, and runs it from there.
describeNightly("the bundles of the image", function () {
  this.timeout(600_000);
  let directory: string;

  before(async () => {
    // Outside the checkout, so that no bundle finds the packages of node_modules.
    directory = await mkdtemp(join(tmpdir(), "tarsy-bundles-"));
    await run(process.execPath, [BUNDLER, directory]);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it("start without the packages of a checkout, once migrate has run", async () => {
    await using resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.start());
    const config = resources.use(await testConfigDirectory());
    const gateway = await testPort();
    const env = {
      CONFIG_DIR: config.path,
      API_PORT: String(await testPort()),
      NOTIFIER_PORT: String(await testPort()),
      LLM_GATEWAY_PORT: String(gateway),
      LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
      LLM_GATEWAY_ADDR: `127.0.0.1:${gateway}`,
      LOG_FORMAT: "json",
      NODE_COMPILE_CACHE: join(directory, "compile-cache"),
    };
    const migrate = join(directory, "services/migrate/main.mjs");
    await run(process.execPath, [migrate], { env: { ...env, DATABASE_URL: servers.postgres.url } });
    for (const name of SERVICES) {
      const healthPort = await startBundle({ resources, servers, directory, name, env });
      const check = join(import.meta.dirname, "../health-check.mjs");
      await run(process.execPath, [check], { env: { [HEALTH_VARIABLE[name]]: String(healthPort) } });
    }
  });

  it("have the MCP server of the demo, which the tool-runner starts by its name", async () => {
    await using resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.start());
    await servers.migrate();
    // As the image does it. The server also needs `node`.
    const programs = join(directory, "bin");
    await mkdir(programs);
    await symlink(
      join(directory, "mcp-servers/mcp-server-filesystem.mjs"),
      join(programs, "mcp-server-filesystem"),
    );
    const env = {
      CONFIG_DIR: join(import.meta.dirname, "../config/demo"),
      PATH: [programs, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      LOG_FORMAT: "json",
      NODE_COMPILE_CACHE: join(directory, "compile-cache"),
    };
    await startBundle({ resources, servers, directory, name: "tool-runner", env });
    const log = pino({ level: "silent" });
    const { signal } = new AbortController();
    const bus = resources.use(await openBus({ url: servers.nats.url, name: "test", log, signal }));
    const body = { session_id: randomUUID(), execution_id: randomUUID(), server_ids: ["cluster-files"] };
    const contract = { request: toolListRequestCodec, reply: toolListReplyCodec };
    let last: ToolListReply | undefined;
    await until(
      "the server's tools are listed",
      async () => {
        last = await request(bus, SUBJECTS.toolsList, contract, body, 30_000);
        return last.tools.length > 0;
      },
      120_000,
    ).catch(() => expect.fail(`not listed: ${JSON.stringify(last?.failed)}`));
    expect(last?.failed ?? []).to.deep.equal([]);
    expect(last?.tools.map(({ name }) => name)).to.include("cluster-files.read_text_file");
  });

  it("load with the first use: the code that formats logs for terminals, and the SDKs of the providers", async () => {
    for (const service of SERVICES) {
      await expectLateCode(join(directory, "services", service));
    }
  });

  it("come with the licences of the packages in them", async () => {
    const licences = await readFile(join(directory, "LICENSES.txt"), "utf8");
    for (const name of "@google/genai @grpc/grpc-js koa pg pino preact @fontsource-variable/geist".split(
      " ",
    )) {
      expect(licences).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "mu"));
    }
    expect(licences).to.contain("Permission is hereby granted");
  });
});
