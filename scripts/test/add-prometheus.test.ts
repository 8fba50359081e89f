import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { describeNightly } from "../../test/support/nightly.ts";
import { findPrometheus, PrometheusServer } from "../../test/support/prometheus.ts";
import { until } from "../../test/support/until.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { tarsyHere } from "./tarsy-here.ts";

describeNightly("tarsy add prometheus", function () {
  this.timeout(600_000);

  it("installs the package of npm, whose tools are those of the pack, and asks a real Prometheus", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-add-"));
    const configFile = join(directory.path, "prometheus.yml");
    const target = "scrape_configs: [{ job_name: own, static_configs: [{ targets: ['127.0.0.1:9'] }] }]";
    await writeFile(configFile, `global: { scrape_interval: 1s }\n${target}\n`);
    const data = join(directory.path, "data");
    await using prometheus = await PrometheusServer.start(await findPrometheus(), {
      configFile,
      directory: data,
    });
    await until("it has scraped", async () => {
      const { result } = await prometheus.ask(
        "query",
        { query: "up" },
        Type.Object({ result: Type.Array(Type.Unknown()) }),
      );
      return result.length > 0;
    });
    const env = { ...process.env, INIT_CWD: directory.path };
    const { code, out, errors } = await tarsyHere(["add", "prometheus", "--url", prometheus.url], env);
    expect(code, errors).to.equal(0);
    expect(out).to.include("prometheus-mcp 1.1.3: 10 tools").and.include("probe      done");
    const file = await readFile(join(directory.path, "tarsy-config", "tarsy.yaml"), "utf8");
    expect(file).to.equal("mcp_servers:\n  prometheus:\n    pack: prometheus\n");
    const doctor = await tarsyHere(["doctor"], env);
    expect(doctor.code, doctor.out).to.equal(0);
  });
});
