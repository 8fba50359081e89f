import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type, type Static } from "typebox";
import { parseAllDocuments } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Selector = Type.Object({
  matchLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
  matchExpressions: Type.Optional(
    Type.Array(
      Type.Object({ key: Type.String(), operator: Type.Literal("In"), values: Type.Array(Type.String()) }),
    ),
  ),
});
const Peer = Type.Object({
  podSelector: Type.Optional(Selector),
  namespaceSelector: Type.Optional(Selector),
  ipBlock: Type.Optional(Type.Object({ cidr: Type.String(), except: Type.Array(Type.String()) })),
});
const Ports = Type.Array(
  Type.Object({ protocol: Type.String(), port: Type.Union([Type.String(), Type.Integer()]) }),
);
const Policy = Type.Object(
  {
    metadata: Type.Object({ name: Type.String() }),
    spec: Type.Object({
      podSelector: Selector,
      policyTypes: Type.Array(Type.String()),
      ingress: Type.Optional(Type.Array(Type.Object({ from: Type.Array(Peer), ports: Ports }))),
      egress: Type.Optional(Type.Array(Type.Object({ to: Type.Optional(Type.Array(Peer)), ports: Ports }))),
    }),
  },
  { additionalProperties: true },
);
const parsePolicy = compileParser("network policy", Policy);
const FILE = join(import.meta.dirname, "../k8s/network-policies.yaml");

function selected({ matchLabels = {}, matchExpressions = [] }: Static<typeof Selector>): string[] {
  return [...Object.values(matchLabels), ...matchExpressions.flatMap(({ values }) => values)];
}

function peers(list: readonly Static<typeof Peer>[] | undefined): string[] {
  if (list === undefined) return ["anywhere"];
  return list.flatMap(({ podSelector, namespaceSelector, ipBlock }) => {
    if (ipBlock !== undefined) return [ipBlock.cidr];
    if (namespaceSelector !== undefined) {
      return selected(namespaceSelector).map((name) => `namespace ${name}`);
    }
    return selected(podSelector ?? {});
  });
}

/** "source → destination: port", for every pod of a policy and every peer. */
function edges(policies: readonly Static<typeof Policy>[], direction: "ingress" | "egress"): string[] {
  const found = policies.flatMap(({ spec }) => {
    const pods = selected(spec.podSelector);
    const rules =
      direction === "ingress"
        ? (spec.ingress ?? []).map(({ from, ports }) => ({ others: peers(from), ports }))
        : (spec.egress ?? []).map(({ to, ports }) => ({ others: peers(to), ports }));
    return rules.flatMap(({ others, ports }) =>
      (pods.length === 0 ? ["everyone"] : pods).flatMap((pod) =>
        others.flatMap((other) =>
          ports.map(({ port }) =>
            direction === "ingress" ? `${other} → ${pod}: ${port}` : `${pod} → ${other}: ${port}`,
          ),
        ),
      ),
    );
  });
  return found.toSorted();
}

const ON_THE_BUS = ["api", "executor", "notifier", "tool-runner"];
const SERVICES = [...ON_THE_BUS, "llm-gateway"];

describe("the network policies", () => {
  let policies: Static<typeof Policy>[];

  before(async () => {
    const documents = parseAllDocuments(await readFile(FILE, "utf8"));
    policies = documents.map((document) => parsePolicy(document.toJS()));
  });

  it("deny everything that none of them allows", () => {
    expect(policies.find(({ metadata }) => metadata.name === "default-deny")?.spec).to.deep.equal({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
  });

  it("let in only who has to", () => {
    expect(edges(policies, "ingress")).to.have.members([
      ...["api", "notifier"].flatMap((pod) => [
        `namespace ingress-nginx → ${pod}: http`,
        `namespace ingress-nginx → ${pod}: ws`,
      ]),
      ...SERVICES.map((pod) => `namespace monitoring → ${pod}: health`),
      ...ON_THE_BUS.map((pod) => `${pod} → nats: 4222`),
      "nats → nats: 6222",
      "executor → llm-gateway: 50051",
    ]);
  });

  it("let out only to what a service needs, and only api, gateway and tool-runner to the internet", () => {
    expect(edges(policies, "egress")).to.have.members([
      "everyone → namespace kube-system: 53",
      "everyone → namespace kube-system: 53",
      ...ON_THE_BUS.map((pod) => `${pod} → nats: 4222`),
      "nats → nats: 6222",
      "executor → llm-gateway: 50051",
      ...["migrate", ...ON_THE_BUS].map((pod) => `${pod} → anywhere: 5432`),
      "api → 0.0.0.0/0: 443",
      "api → ::/0: 443",
      "llm-gateway → 0.0.0.0/0: 443",
      "llm-gateway → ::/0: 443",
      ...["0.0.0.0/0", "::/0"].flatMap((block) =>
        [443, 6443].map((port) => `tool-runner → ${block}: ${port}`),
      ),
    ]);
    const gateway = policies.find(({ metadata }) => metadata.name === "llm-gateway");
    const blocks = gateway?.spec.egress?.flatMap(({ to = [] }) =>
      to.flatMap(({ ipBlock }) => ipBlock?.except ?? []),
    );
    const runner = JSON.stringify(policies.find(({ metadata }) => metadata.name === "tool-runner"));
    expect(runner).to.contain("169.254.0.0/16");
    const receivers = policies.find(({ metadata }) => metadata.name === "to-notification-receivers");
    expect(JSON.stringify(receivers)).to.contain("169.254.0.0/16");
    expect(blocks).to.include.members(["10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "fe80::/10"]);
  });
});
