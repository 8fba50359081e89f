import { Type, type Static } from "typebox";
import { parseAllDocuments } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const loose = { additionalProperties: true } as const;
const Strings = Type.Record(Type.String(), Type.String());
const Environment = Type.Array(
  Type.Object(
    {
      name: Type.String(),
      value: Type.Optional(Type.String()),
      valueFrom: Type.Optional(
        Type.Object(
          { secretKeyRef: Type.Optional(Type.Object({ name: Type.String(), key: Type.String() }, loose)) },
          loose,
        ),
      ),
    },
    loose,
  ),
);
const Pod = Type.Object(
  {
    securityContext: Type.Object({ runAsUser: Type.Optional(Type.Number()) }, loose),
    containers: Type.Array(
      Type.Object(
        {
          image: Type.String(),
          args: Type.Optional(Type.Array(Type.String())),
          env: Type.Optional(Environment),
        },
        loose,
      ),
    ),
  },
  loose,
);
const Resource = Type.Object(
  {
    apiVersion: Type.String(),
    kind: Type.String(),
    metadata: Type.Object(
      {
        name: Type.String(),
        namespace: Type.Optional(Type.String()),
        annotations: Type.Optional(Strings),
      },
      loose,
    ),
    data: Type.Optional(Strings),
    spec: Type.Optional(
      Type.Object(
        {
          template: Type.Optional(
            Type.Object(
              { metadata: Type.Object({ annotations: Type.Optional(Strings) }, loose), spec: Pod },
              loose,
            ),
          ),
        },
        loose,
      ),
    ),
  },
  loose,
);
export type Resource = Static<typeof Resource>;
const parseResource = compileParser("resource", Resource);

/** The resources of a rendered chart or kustomization. */
export function resourcesOf(yaml: string): Resource[] {
  // 0440 is an octal number for Kubernetes.
  const documents = parseAllDocuments(yaml, { version: "1.1" });
  return documents.flatMap((one) => (one.contents === null ? [] : [parseResource(one.toJS())]));
}

/** True if Helm creates it for `helm test` only. */
export function isHook({ metadata }: Resource): boolean {
  return metadata.annotations?.["helm.sh/hook"] !== undefined;
}

/** The first resource of a kind whose name begins like this. */
export function findResource(resources: readonly Resource[], kind: string, name: string): Resource {
  const found = resources.find((one) => one.kind === kind && one.metadata.name.startsWith(name));
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** The first container's variables, each as its value or as `secret/key`. */
export function environmentOf(resource: Resource): Record<string, string | undefined> {
  const env = resource.spec?.template?.spec.containers[0]?.env ?? [];
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const reference = valueFrom?.secretKeyRef;
      return [name, value ?? (reference && `${reference.name}/${reference.key}`)];
    }),
  );
}
