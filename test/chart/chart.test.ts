import { execFile } from "node:child_process";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { parse } from "yaml";
import { findChartPrograms, KUBERNETES_VERSION, writeSchemas, type ChartPrograms } from "./chart-programs.ts";
import { environmentOf, findResource, isHook, resourcesOf, type Resource } from "./rendered-resources.ts";

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, "../../deploy");
const CHART = join(DEPLOY, "chart");
/** Arguments of helm for each profile and each switch. */
const PROXY =
  "identityProxy.enabled=true,identityProxy.issuerUrl=https://id.example.com,identityProxy.clientId=tarsy";
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  default: [],
  kind: profiles("kind"),
  team: profiles("team"),
  ha: profiles("ha"),
  "ha on OpenShift": [...profiles("ha", "openshift"), "--set", PROXY],
  "identity proxy": ["--set", PROXY, "--set-json", "fixedUser=1000660000"],
  "no ingress, no policies, no scaling": [
    "--set",
    "ingress.enabled=false,networkPolicies.enabled=false,autoscaling.type=none",
  ],
  "other peers": [
    "--set-json",
    'networkPolicies={"postgresTo":[{"ipBlock":{"cidr":"10.0.0.5/32"}}],"toolRunnerEgress":[{"ports":[{"protocol":"TCP","port":9090}]}]}',
  ],
  "every setting of a service": [
    "--set",
    "images.pullSecrets[0].name=pull,images.pullPolicy=Always,existingSecret=mine",
    "--set-json",
    'services.tool-runner={"replicas":4,"image":"registry.example.com/tools:1","env":{"MCP_MAX_PROCESSES":"4"},"resources":{"limits":{"memory":"2Gi"}},"nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"a","operator":"Exists"}],"affinity":{},"priorityClassName":"high"}',
  ],
  "storage classes": [
    ...profiles("ha"),
    "--set",
    "nats.storageClass=fast,postgres.cnpg.storageClass=fast,monitoring.labels.release=prometheus",
    "--set",
    "postgres.cnpg.resources.limits.memory=1Gi,services.nats.resources.limits.memory=1Gi",
  ],
};

function profiles(...names: readonly string[]): string[] {
  return names.flatMap((name) => ["--values", join(CHART, `values-${name}.yaml`)]);
}

describe("the Helm chart", () => {
  let programs: ChartPrograms;

  before(async () => {
    programs = await findChartPrograms();
  });

  const render = async (args: readonly string[], chart = CHART): Promise<string> => {
    const where = ["--namespace", "tarsy", "--kube-version", KUBERNETES_VERSION];
    const { stdout } = await run(programs.helm, ["template", "tarsy", chart, ...where, ...args], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  const rendered = async (...args: readonly string[]): Promise<Resource[]> => resourcesOf(await render(args));

  /** What kubeconform has against these resources: a line for each, which begins with the name of its file. */
  const violations = async (all: Readonly<Record<string, string>>): Promise<string> => {
    const kinds = Object.values(all)
      .flatMap(resourcesOf)
      .map(({ apiVersion, kind }) =>
        [kind.toLowerCase(), ...apiVersion.replace(/\.[^/]*/u, "").split("/")].join("-"),
      );
    const schemas = await writeSchemas(new Set(kinds));
    const locations = [
      "{{.ResourceKind}}{{.KindSuffix}}",
      "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}",
    ];
    const args = ["-strict", "-output", "text"];
    for (const name of locations) args.push("-schema-location", join(schemas, `${name}.json`));
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-chart-"));
    for (const [name, yaml] of Object.entries(all)) {
      await writeFile(join(directory.path, `${name}.yaml`), yaml);
    }
    try {
      return (await run(programs.kubeconform, [...args, directory.path])).stdout;
    } catch (error) {
      return error instanceof Error && "stdout" in error
        ? `${String(error.stdout)}${error.message}`
        : String(error);
    }
  };

  it("passes helm lint with every profile", async () => {
    for (const [name, args] of Object.entries(VARIANTS)) {
      const lint = ["lint", CHART, "--strict", "--kube-version", KUBERNETES_VERSION, ...args];
      expect((await run(programs.helm, lint)).stdout, name).to.include("0 chart(s) failed");
    }
  });

  it("has a variant for every profile", async () => {
    const files = (await readdir(CHART)).filter((name) => name.startsWith("values-"));
    const used = JSON.stringify(VARIANTS);
    for (const file of files) expect(used).to.include(file);
  });

  it("renders the kustomization deploy/k8s-fixed-user by default, and deploy/k8s without a user", async () => {
    for (const [overlay, user] of [
      ["k8s-fixed-user", []],
      ["k8s", ["--set", "fixedUser=null"]],
    ] as const) {
      const { stdout } = await run(programs.kustomize, ["build", join(DEPLOY, overlay)]);
      const applied = resourcesOf(stdout).filter(({ kind }) => kind !== "Namespace");
      const installed = (await rendered("--set", "images.tag=latest", ...user)).filter((one) => !isHook(one));
      for (const { metadata } of applied) delete metadata.namespace;
      for (const { metadata, spec } of installed) {
        if (metadata.name.startsWith("migrate-")) metadata.name = "migrate";
        const template = spec?.template?.metadata;
        delete template?.annotations?.["checksum/configuration"];
        if (template?.annotations !== undefined && Object.keys(template.annotations).length === 0) {
          delete template.annotations;
        }
      }
      const byName = (list: readonly Resource[]) =>
        Object.fromEntries(list.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
      expect(byName(installed)).to.deep.equal(byName(applied));
    }
  });

  it("renders what Kubernetes and the operators accept, with every profile and switch", async () => {
    const all: Record<string, string> = {};
    for (const [name, args] of Object.entries(VARIANTS)) all[name] = await render(args);
    expect(await violations(all)).to.equal("");
    const broken = (await render([])).replace("containerPort: 8080", "containerPrt: 8080");
    expect(await violations({ broken })).to.include("containerPrt");
  });

  it("refuses a key that it does not know, and a value of the wrong type, by its name", async () => {
    for (const [setting, says] of [
      ["service.api.replicas=3", /service.*not allowed/u],
      ["services.api.replica=3", /\/services\/api.*'replica' not allowed/u],
      ["services.api.replicas=many", /\/services\/api\/replicas.*want integer/u],
      ["nats.replicas=2", /\/nats\/replicas/u],
      ["environment.logLevel=debug", /environment/u],
      ["identityProxy.enabled=true", /\/identityProxy\/(?:issuerUrl|clientId)/u],
    ] as const) {
      const failure: unknown = await render(["--set", setting]).catch((error: unknown) => error);
      expect(failure, setting).to.be.instanceOf(Error);
      expect(String(failure), setting).to.match(says);
    }
  });

  it("packs what it links to", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-chart-"));
    await run(programs.helm, ["package", CHART, "--destination", directory.path]);
    const [archive = ""] = await readdir(directory.path);
    for (const args of [[], profiles("ha")]) {
      expect(await render(args, join(directory.path, archive))).to.equal(await render(args));
    }
  });

  it("takes the address of a CloudNativePG cluster from its secret, all else from the given one", async () => {
    const resources = await rendered(...profiles("ha"), "--set", "existingSecret=mine");
    for (const [kind, name] of [
      ["Deployment", "api"],
      ["Job", "migrate-"],
    ] as const) {
      expect(environmentOf(findResource(resources, kind, name))["DATABASE_URL"]).to.equal(
        "tarsy-postgres-app/uri",
      );
    }
    const { DATABASE_URL: _url, ...others } = environmentOf(findResource(resources, "Deployment", "api"));
    expect(others["NATS_API_PASSWORD"]).to.equal("mine/NATS_API_PASSWORD");
    expect(JSON.stringify(resources)).not.to.match(/"secretKeyRef":\{[^}]*"name":"tarsy"/u);
  });

  it("opens the monitoring port of NATS for KEDA alone, which replaces the HPA", async () => {
    const keda = await rendered(...profiles("ha"));
    expect(keda.map(({ kind }) => kind)).not.to.include("HorizontalPodAutoscaler");
    expect(environmentOf(findResource(keda, "StatefulSet", "nats"))["NATS_MONITORING"]).to.equal(
      "0.0.0.0:8222",
    );
    const policy = JSON.stringify(findResource(keda, "NetworkPolicy", "nats").spec);
    expect(policy).to.match(/"kubernetes\.io\/metadata\.name":"keda".{0,40}"port":8222/u);
    const others = await rendered();
    expect(environmentOf(findResource(others, "StatefulSet", "nats"))["NATS_MONITORING"]).to.equal(
      "127.0.0.1:8222",
    );
    expect(JSON.stringify(findResource(others, "NetworkPolicy", "nats").spec)).not.to.include("8222");
  });

  it("has the rules and the dashboard of deploy/monitoring", async () => {
    const resources = await rendered(...profiles("team"));
    const file = async (name: string) => readFile(join(DEPLOY, "monitoring", name), "utf8");
    const [rules, volumes] = [await file("tarsy-rules.yml"), await file("tarsy-volumes-rules.yml")];
    const groups = [rules, volumes].flatMap((text): unknown => Reflect.get(Object(parse(text)), "groups"));
    expect(findResource(resources, "PrometheusRule", "tarsy").spec).to.deep.equal({ groups });
    const dashboard = findResource(resources, "ConfigMap", "tarsy-dashboard").data?.["tarsy-dashboard.json"];
    expect(JSON.parse(dashboard ?? "")).to.deep.equal(JSON.parse(await file("tarsy-dashboard.json")));
  });

  it("replaces a variable of a service instead of naming it twice", async () => {
    const resources = await rendered("--set-string", "services.tool-runner.env.MCP_MAX_PROCESSES=4");
    const env = findResource(resources, "Deployment", "tool-runner").spec?.template?.spec.containers[0]?.env;
    const named = env?.filter(({ name }) => name === "MCP_MAX_PROCESSES");
    expect(named).to.deep.equal([{ name: "MCP_MAX_PROCESSES", value: "4" }]);
  });

  it("leaves users and groups to OpenShift, in every pod", async () => {
    expect(await render([...profiles("ha", "openshift"), "--set", PROXY])).not.to.match(
      /runAsUser|runAsGroup|fsGroup/u,
    );
  });

  it("runs one server of NATS without addresses of others", async () => {
    const resources = await rendered(...profiles("kind"));
    const nats = findResource(resources, "StatefulSet", "nats").spec?.template?.spec.containers[0];
    expect(nats?.args).to.deep.equal(["-c", "/etc/nats/nats.conf"]);
    const { NATS_URL } = environmentOf(findResource(resources, "Deployment", "executor"));
    expect(NATS_URL).to.equal("nats://executor:$(NATS_EXECUTOR_PASSWORD)@nats-0.nats:4222");
    expect(findResource(resources, "ConfigMap", "tarsy-environment").data?.["NATS_REPLICAS"]).to.equal("1");
  });

  it("mounts the files of a configuration, and restarts the services when they change", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-chart-"));
    const file = join(directory.path, "tarsy.yaml");
    const args = ["--set-file", `config.files.tarsy\\.yaml=${file}`];
    const checksums = new Set<string | undefined>();
    for (const text of ["defaults: {}\n", "defaults: { max_iterations: 5 }\n"]) {
      await writeFile(file, text);
      const resources = await rendered(...args);
      expect(findResource(resources, "ConfigMap", "tarsy-configuration").data).to.deep.equal({
        "tarsy.yaml": text,
      });
      expect(findResource(resources, "ConfigMap", "tarsy-environment").data?.["CONFIG_DIR"]).to.equal(
        "/etc/tarsy",
      );
      const api = findResource(resources, "Deployment", "api").spec?.template;
      expect(JSON.stringify(api?.spec)).to.include('"mountPath":"/etc/tarsy"');
      checksums.add(api?.metadata.annotations?.["checksum/configuration"]);
    }
    expect(checksums).to.have.property("size", 2);
  });

  it("gives another version of the images another Job, which migrates", async () => {
    const jobs = await Promise.all(
      ["1.0.0", "1.0.1", "1.0.1"].map(async (tag) =>
        findResource(await rendered("--set", `images.tag=${tag}`), "Job", "migrate-"),
      ),
    );
    expect(new Set(jobs.map(({ metadata }) => metadata.name))).to.have.property("size", 2);
  });
});
