import type { World } from "#shared/worlds/world-format.ts";

/** The codes of causes that the benchmark offers, by what each is a fault of. The texts are ours. */
const CAUSES: Readonly<Record<"namespace" | "node" | "app", Readonly<Record<string, string>>>> = {
  namespace: {
    namespace_cpu_quota_exceeded: "the quota of CPU is used up",
    namespace_memory_quota_exceeded: "the quota of memory is used up",
    namespace_pod_quota_exceeded: "the quota of pods is used up",
    namespace_service_quota_exceeded: "the quota of services is used up",
    namespace_storage_quota_exceeded: "the quota of storage is used up",
  },
  node: {
    node_network_delay: "the node's network is slow",
    node_network_packet_loss: "the node's network loses packets",
    containerd_unavailable: "containerd does not run",
    kubelet_unavailable: "the kubelet does not run",
    kube_proxy_unavailable: "kube-proxy does not run",
    kube_scheduler_unavailable: "kube-scheduler does not run",
  },
  app: {
    missing_service_account: "its service account does not exist",
    node_cordon_mismatch: "it cannot be scheduled because nodes are cordoned",
    node_affinity_mismatch: "no node fits its node affinity",
    node_selector_mismatch: "no node fits its node selector",
    pod_anti_affinity_conflict: "its pod anti-affinity leaves no node",
    taint_toleration_mismatch: "it does not tolerate the taints of nodes",
    cpu_capacity_mismatch: "no node has the CPU that it requests",
    memory_capacity_mismatch: "no node has the memory that it requests",
    image_registry_dns_failure: "the name of its image's registry is not resolved",
    incorrect_image_reference: "its image does not exist",
    missing_image_pull_secret: "the secret to pull its image is missing",
    pvc_selector_mismatch: "no volume fits the selector of its claim",
    pvc_storage_class_mismatch: "no volume has the storage class of its claim",
    pvc_access_mode_mismatch: "no volume has the access mode of its claim",
    pvc_capacity_mismatch: "no volume has the capacity of its claim",
    pv_binding_occupied: "the volume of its claim is bound to another",
    volume_mount_permission_denied: "it may not use what is mounted",
    oom_killed: "it is killed for using too much memory",
    liveness_probe_incorrect_protocol: "its liveness probe has a wrong protocol",
    liveness_probe_incorrect_port: "its liveness probe has a wrong port",
    liveness_probe_incorrect_timing: "its liveness probe has wrong times",
    readiness_probe_incorrect_protocol: "its readiness probe has a wrong protocol",
    readiness_probe_incorrect_port: "its readiness probe has a wrong port",
    service_selector_mismatch: "the selector of its Service fits no pod",
    service_port_mapping_mismatch: "its Service has a wrong port",
    service_protocol_mismatch: "its Service has a wrong protocol",
    service_env_var_address_mismatch: "a variable names a wrong address of a service",
    pod_cpu_overload: "its pods use all of their CPU",
    pod_network_delay: "the network of its pods is slow",
    service_sidecar_port_conflict: "a sidecar uses the same port",
    service_dns_resolution_failure: "names of services are not resolved",
    mysql_invalid_credentials: "it has wrong credentials for MySQL",
    mysql_invalid_port: "it has a wrong port of MySQL",
    missing_secret_binding: "a secret that it needs is not bound",
    db_connection_exhaustion: "the connections of its database are used up",
    db_readonly_mode: "its database can only be read",
    gateway_misrouted: "the gateway has a wrong route",
    deployment_zero_replicas: "its Deployment has no replicas",
  },
};

const CATEGORIES: Readonly<Record<string, string>> = {
  Admission_Fault: "the API server refuses an object, for example because of a quota",
  Scheduling_Fault: "a pod was admitted and gets no node",
  Infrastructure_Fault: "a node or a component of Kubernetes fails",
  Startup_Fault: "a pod has a node and its containers do not start",
  Runtime_Fault: "a container that has started ends, fails or does not pass its probes",
  Service_Routing_Fault: "requests do not reach their pods because of how the network is configured",
  Performance_Fault: "everything works, too slowly",
};

/** Codes of the truth that the offered list spells otherwise: with it alone, 29 cases cannot be won. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  gateway_misroute: "gateway_misrouted",
  db_read_only: "db_readonly_mode",
};

/** What a conclusion may name. `apps` and `nodes` are names. */
export function vocabularyOf(of: {
  readonly apps: readonly string[];
  readonly nodes: readonly string[];
  readonly namespace: string;
}): NonNullable<World["vocabulary"]> {
  return {
    objects: [
      ...of.apps.map((name) => `app/${name}`),
      ...of.nodes.map((name) => `node/${name}`),
      `namespace/${of.namespace}`,
    ],
    causes: Object.entries(CAUSES).flatMap(([target, codes]) =>
      Object.entries(codes).map(([code, text]) => ({ code, text, target })),
    ),
    categories: Object.entries(CATEGORIES).map(([code, text]) => ({ code, text })),
  };
}

/** The other codes that are right where the truth has this one. */
export function acceptedFor(cause: string): string[] {
  return Object.hasOwn(OTHER_SPELLINGS, cause) ? [OTHER_SPELLINGS[cause] ?? ""] : [];
}
