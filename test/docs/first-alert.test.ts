import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtempDisposable, open, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { programsEnvironment } from "../../launcher/supervisor/plan-services.ts";
import { findAlertmanager } from "../support/alertmanager.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { killOnExit } from "../support/kill-on-exit.ts";
import { describeNightly } from "../support/nightly.ts";
import { findPrometheus } from "../support/prometheus.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { CHECKOUT } from "../support/spawn-service.ts";
import { TarsySystem } from "../support/tarsy-system.ts";
import { testPort } from "../support/test-port.ts";
import { until } from "../support/until.ts";

const QUERY = { name: "prometheus.prometheus_query", arguments: { query: "up" } };
/** In place of a model: asks Prometheus once, and answers. */
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { call: 1 }, steps: [{ tool_call: QUERY }] },
    { steps: [{ text: "No node exporter runs." }] },
  ],
};
const PROVIDERS = {
  llm_providers: { scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" } },
};

/** The commands of the page, block by block. */
async function readBlocks(): Promise<readonly string[]> {
  const page = await readFile(join(CHECKOUT, "docs/first-alert.md"), "utf8");
  return [...page.matchAll(/^```sh\n([\s\S]*?)\n```$/gmu)].map(([, text = ""]) => text);
}

describeNightly("docs/first-alert.md", () => {
  it("leads from nothing to the session of a real alert, and to its end", async function () {
    this.timeout(240_000);
    await using resources = new AsyncDisposableStack();
    const { path: home } = resources.use(await mkdtempDisposable(join(tmpdir(), "tarsy-first-alert-")));
    const servers = resources.use(await BackingServers.choose({}));
    const configDir = join(home, "first-alert");
    await mkdir(configDir);
    await writeFile(join(configDir, "llm-providers.yaml"), stringify(PROVIDERS));
    await writeFile(join(configDir, "script.yaml"), stringify(SCRIPT));
    const system = resources.use(await TarsySystem.prepare({ servers, configDir }));
    const [prometheus, alertmanager, exporter] = [await testPort(), await testPort(), await testPort()];
    const places = {
      "9090": String(prometheus),
      "9093": String(alertmanager),
      "9100": String(exporter),
      "8080": new URL(system.api).port,
      "google-default": "scripted",
    };
    const PATH = await pathOf(home);
    const type = async (block: string) => {
      let text = block;
      for (const [written, used] of Object.entries(places)) text = text.replaceAll(written, used);
      await using log = await open(join(home, "log"), "w+");
      const child = spawn("bash", ["-ec", text], {
        cwd: home,
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        env: { ...process.env, PATH, TARSY_API_URL: system.api },
      });
      // What it leaves in the background is in its group.
      const group = -(child.pid ?? 0);
      resources.use(killOnExit(group));
      resources.defer(() => endGroup(group));
      await once(child, "exit");
      const shown = await readFile(join(home, "log"), "utf8");
      expect(child.exitCode, `${text}\n${shown}`).to.equal(0);
      return shown;
    };
    const shown = new Map<string, string>();
    let session = "";
    for (const block of await readBlocks()) {
      if (block.includes("npm start")) {
        for (const name of ["llm-gateway", "tool-runner", "notifier", "executor", "api"] as const) {
          const programs = programsEnvironment("tool-runner", { root: CHECKOUT, env: process.env });
          await system.startService(name, name === "tool-runner" ? programs : {});
        }
        continue;
      }
      if (block.includes("tarsy -- list")) {
        session = await until("the session of the alert has ended", async () => {
          const [row] = await servers.query(
            "SELECT session_id FROM alert_sessions WHERE status = 'completed'",
            [],
          );
          return row === undefined ? undefined : String(Reflect.get(Object(row), "session_id"));
        });
      }
      if (block.includes("node-exporter")) resources.defer(closing(await serveMetrics(exporter)));
      shown.set(block, await type(block));
    }
    const said = [...shown.values()].join("\n");
    expect(said).to.include("prometheus.prometheus_query  read").and.include("Nothing was started.");
    expect(said).to.include(session);
    const sessions = await servers.query("SELECT alert_data, final_analysis FROM alert_sessions", []);
    expect(sessions).to.have.length(1);
    expect(JSON.stringify(sessions)).to.include("TargetDown").and.include("No node exporter runs.");
    const [result] = await servers.query(
      "SELECT content FROM timeline_events WHERE session_id = $1 AND event_type = 'tool_result'",
      [session],
    );
    expect(JSON.stringify(result)).to.include(String(exporter));
    await until("the incident is over", async () => {
      const [group] = await servers.query("SELECT resolved_at FROM alert_groups", []);
      return Reflect.get(Object(group), "resolved_at") !== null;
    });
  });
});

/** The programs of the page in a folder of their own: those of Debian's packages, and `npm` and `sudo` of the test. */
async function pathOf(home: string): Promise<string> {
  const bin = join(home, "bin");
  await mkdir(bin);
  const { prometheus, promtool } = await findPrometheus();
  await symlink(prometheus, join(bin, "prometheus"));
  await symlink(promtool, join(bin, "promtool"));
  await symlink(await findAlertmanager(), join(bin, "prometheus-alertmanager"));
  // Debian's program reads them where it is installed; this copy does in the directory in which it is started.
  for (const name of ["default.tmpl", "email.tmpl"]) await writeFile(join(home, name), "");
  const tarsy = `exec ${process.execPath} ${join(CHECKOUT, "scripts/tarsy/main.ts")}`;
  const npm = [
    "#!/bin/sh",
    // What `tarsy add` runs is the real one.
    '[ "$1" = run ] || { PATH=${PATH#*:}; exec npm "$@"; }',
    'name=$2; shift 3; export INIT_CWD="$PWD"',
    `[ "$name" = alert ] && ${tarsy} alert "$@"`,
    `${tarsy} "$@"\n`,
  ].join("\n");
  for (const [name, text] of [
    ["npm", npm],
    ["sudo", "#!/bin/sh\n"],
  ] as const) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  return [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
}

/** In place of the node exporter. */
async function serveMetrics(port: number): Promise<Server> {
  const server = createServer((_request, response) => void response.end("node_boot_time_seconds 1\n"));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function closing(server: Server) {
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
}

function endGroup(group: number): void {
  try {
    process.kill(group, "SIGKILL");
  } catch {
    // Nothing of it runs any more.
  }
}
