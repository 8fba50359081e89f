/** Each line: a kind, and its other names. All kinds that run pods or stand in front of them are one: alerts and benchmarks name any of these for the same fault. */
const KINDS = new Map(
  [
    "workload app apps application applications workloads microservice component pod pods po service services svc deployment deployments",
    "workload deploy replicaset replicasets rs statefulset statefulsets sts daemonset daemonsets ds",
    "node nodes no host",
    "namespace namespaces ns",
    "job jobs",
    "cronjob cronjobs cj",
    "configmap configmaps cm",
    "secret secrets",
    "ingress ingresses ing",
    "persistentvolumeclaim persistentvolumeclaims pvc",
    "persistentvolume persistentvolumes pv",
    "networkpolicy networkpolicies netpol",
    "serviceaccount serviceaccounts sa",
  ].flatMap((line) => {
    const [kind = "", ...names] = line.split(" ");
    return names.map((name): [string, string] => [name, kind]);
  }),
);

/** The letters and digits of which Kubernetes makes its suffixes. */
const SAFE = "[bcdfghjklmnpqrstvwxz2456789]";
/** What a Deployment's pods and ReplicaSets have behind its name: a hash, which has a digit or only safe letters, and for pods five more. */
const HASH = `-(?:(?=[a-z]*\\d)[a-z0-9]{6,10}|${SAFE}{8,10})`;
const POD_SUFFIX = new RegExp(`${HASH}-[a-z0-9]{4,5}$`, "u");
const REPLICA_SET_SUFFIX = new RegExp(`${HASH}$`, "u");

/**
 * True if two names of objects, "kind/name" or the name alone, mean the same one: kinds by any of their names, in any case, and a pod or
 * ReplicaSet as what owns it. A name without a kind is of any.
 */
export function isSameObject(one: string, other: string): boolean {
  const [a, b] = [parsed(one), parsed(other)];
  return a.name !== "" && a.name === b.name && (a.kind === "" || b.kind === "" || a.kind === b.kind);
}

function parsed(text: string): { readonly kind: string; readonly name: string } {
  const parts = text
    .trim()
    .toLowerCase()
    .split("/")
    .map((part) => part.trim());
  const name = parts.at(-1) ?? "";
  const written = parts.length === 1 ? "" : (parts[0] ?? "");
  return { kind: KINDS.get(written) ?? written, name: owner(written, name) };
}

function owner(kind: string, name: string): string {
  if (/^(?:pods?|po|)$/u.test(kind) && POD_SUFFIX.test(name)) return name.replace(POD_SUFFIX, "");
  return /^(?:replicasets?|rs)$/u.test(kind) ? name.replace(REPLICA_SET_SUFFIX, "") : name;
}
