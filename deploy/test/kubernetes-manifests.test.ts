import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { validate as validDeployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment";
import { validate as validStatefulSet } from "kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet";
import { validate as validAutoscaler } from "kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler";
import { validate as validJob } from "kubernetes-models/_schemas/IoK8sApiBatchV1Job";
import { validate as validIngress } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress";
import { validate as validNetworkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { validate as validDisruptionBudget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget";
import { validate as validConfigMap } from "kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap";
import { validate as validNamespace } from "kubernetes-models/_schemas/IoK8sApiCoreV1Namespace";
import { validate as validSecret } from "kubernetes-models/_schemas/IoK8sApiCoreV1Secret";
import { validate as validService } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { Type, type Static } from "typebox";
import { parseAllDocuments } from "yaml";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { PREFERRED_PROVIDERS } from "#shared/agent-config/found/find-keys.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const DIRECTORY = join(import.meta.dirname, "../k8s");
const Loose = Type.Object(
  {
    apiVersion: Type.String(),
    kind: Type.String(),
    metadata: Type.Object({ name: Type.String() }, { additionalProperties: true }),
  },
  { additionalProperties: true },
);
const parseManifest = compileParser("manifest", Loose);
const parseKustomization = compileParser(
  "kustomization",
  Type.Object({ resources: Type.Array(Type.String()) }, { additionalProperties: true }),
);
const Workload = Type.Object(
  {
    spec: Type.Object(
      {
        template: Type.Object(
          {
            spec: Type.Object(
              {
                automountServiceAccountToken: Type.Literal(false),
                // The cluster chooses the user: OpenShift refuses any other.
                securityContext: Type.Object({
                  runAsNonRoot: Type.Literal(true),
                  seccompProfile: Type.Object({ type: Type.Literal("RuntimeDefault") }),
                }),
                containers: Type.Array(
                  Type.Object(
                    {
                      readinessProbe: Type.Optional(Type.Object({}, { additionalProperties: true })),
                      livenessProbe: Type.Optional(Type.Object({}, { additionalProperties: true })),
                      resources: Type.Object(
                        { limits: Type.Object({ memory: Type.String() }) },
                        { additionalProperties: true },
                      ),
                      securityContext: Type.Object({
                        allowPrivilegeEscalation: Type.Literal(false),
                        readOnlyRootFilesystem: Type.Literal(true),
                        capabilities: Type.Object({ drop: Type.Tuple([Type.Literal("ALL")]) }),
                      }),
                    },
                    { additionalProperties: true },
                  ),
                ),
              },
              { additionalProperties: true },
            ),
          },
          { additionalProperties: true },
        ),
      },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
);
const WORKLOADS = new Set(["Deployment", "StatefulSet", "Job"]);
const parseWorkload = compileParser("workload", Workload);

/** The schemas of the Kubernetes API. A validator stores its errors in its property `errors`. */
const SCHEMAS: Readonly<Record<string, ((data: unknown) => boolean) & { readonly errors?: unknown }>> = {
  "apps/v1 Deployment": validDeployment,
  "apps/v1 StatefulSet": validStatefulSet,
  "autoscaling/v2 HorizontalPodAutoscaler": validAutoscaler,
  "batch/v1 Job": validJob,
  "networking.k8s.io/v1 Ingress": validIngress,
  "networking.k8s.io/v1 NetworkPolicy": validNetworkPolicy,
  "policy/v1 PodDisruptionBudget": validDisruptionBudget,
  "v1 ConfigMap": validConfigMap,
  "v1 Namespace": validNamespace,
  "v1 Secret": validSecret,
  "v1 Service": validService,
};

async function manifests(file: string): Promise<Static<typeof Loose>[]> {
  const text = await readFile(join(DIRECTORY, file), "utf8");
  return parseAllDocuments(text).map((document) => parseManifest(document.toJS()));
}

describe("the Kubernetes manifests", () => {
  it("are all part of the kustomization, except the template of the secret", async () => {
    const [document] = parseAllDocuments(await readFile(join(DIRECTORY, "kustomization.yaml"), "utf8"));
    const { resources } = parseKustomization(document?.toJS());
    const files = (await readdir(DIRECTORY)).filter((name) => name !== "kustomization.yaml");
    expect([...resources, "secret.example.yaml"]).to.have.members(files);
  });

  it("match the schemas of the Kubernetes API", async () => {
    for (const file of await readdir(DIRECTORY)) {
      if (file === "kustomization.yaml") continue;
      for (const manifest of await manifests(file)) {
        const kind = `${manifest.apiVersion} ${manifest.kind}`;
        const isValid = SCHEMAS[kind];
        if (isValid === undefined) throw new Error(`${file}: no schema for ${kind}`);
        const what = `${file}: ${kind} ${manifest.metadata.name}`;
        expect(isValid(manifest), `${what}: ${JSON.stringify(isValid.errors)}`).to.equal(true);
      }
    }
  });

  it("run everything as a user, read-only, without privileges, with probes and limits", async () => {
    for (const file of await readdir(DIRECTORY)) {
      if (file === "kustomization.yaml") continue;
      for (const manifest of await manifests(file)) {
        if (!WORKLOADS.has(manifest.kind)) continue;
        const { containers } = parseWorkload(manifest).spec.template.spec;
        if (manifest.kind === "Job") continue;
        for (const { readinessProbe, livenessProbe } of containers) {
          expect([readinessProbe, livenessProbe], file).not.to.include(undefined);
        }
      }
    }
  });

  it("give the llm-gateway the key of every provider", async () => {
    const text = await readFile(join(DIRECTORY, "llm-gateway.yaml"), "utf8");
    const { llmProviders } = builtInConfig();
    const keys = PREFERRED_PROVIDERS.flatMap((name) => keyVariable(llmProviders.get(name) ?? {}) ?? []);
    expect(keys).not.to.be.empty;
    for (const key of keys) expect(text).to.include(`key: ${key}, optional: true`);
  });

  it("get a fixed user and group by the overlay, each workload of them", async () => {
    const path = join(DIRECTORY, "../k8s-fixed-user/kustomization.yaml");
    const [document] = parseAllDocuments(await readFile(path, "utf8"));
    const Patch = Type.Object({ target: Type.Object({ kind: Type.String() }), patch: Type.String() });
    const parseOverlay = compileParser(
      "overlay",
      Type.Object(
        { resources: Type.Array(Type.String()), patches: Type.Array(Patch) },
        { additionalProperties: true },
      ),
    );
    const { resources, patches } = parseOverlay(document?.toJS());
    expect(resources).to.deep.equal(["../k8s"]);
    const [patch] = patches;
    expect(patches).to.have.length(1);
    expect(patch?.target.kind.split("|")).to.have.members([...WORKLOADS]);
    const paths = [
      ...(patch?.patch ?? "").matchAll(/^ {2}path: \/spec\/template\/spec\/securityContext\/(\w+)$/gmu),
    ];
    expect(paths.map(([, name]) => name)).to.deep.equal(["runAsUser", "runAsGroup", "fsGroup"]);
  });

  it("run images whose user is a number, which runAsNonRoot needs", async () => {
    for (const file of ["Containerfile", "nats/Containerfile", "tool-servers/Containerfile"]) {
      const text = await readFile(join(DIRECTORY, "..", file), "utf8");
      expect([...text.matchAll(/^USER (.*)$/gmu)].at(-1)?.[1], file).to.match(/^[1-9]\d*:\d+$/u);
    }
  });

  it("serve a named host over TLS only", async () => {
    const Rule = Type.Object({ host: Type.String() }, { additionalProperties: true });
    const parseIngress = compileParser(
      "ingress",
      Type.Object({
        ingressClassName: Type.String(),
        tls: Type.Array(Type.Object({ hosts: Type.Array(Type.String()), secretName: Type.String() })),
        rules: Type.Array(Rule),
      }),
    );
    const [ingress] = await manifests("ingress.yaml");
    const { tls, rules } = parseIngress(Reflect.get(ingress ?? {}, "spec"));
    expect(tls.flatMap(({ hosts }) => hosts)).to.deep.equal(rules.map(({ host }) => host));
  });

  it("contain no secret", async () => {
    const text = await readFile(join(DIRECTORY, "secret.example.yaml"), "utf8");
    const values = [...text.matchAll(/^ {2}[A-Z_]+: (.*)$/gmu)].map(([, value]) => value);
    expect(values).to.have.length.greaterThan(5);
    expect(new Set(values)).to.deep.equal(new Set(['""']));
  });
});
