/** What HolmesGPT's fixtures do not say. */

/** Cases that are one incident. */
export const GROUPS = [
  { pattern: /^test_ask_holmes\/42_dns_/u, group: "42_dns" },
  {
    pattern: /^test_ask_holmes\/(?:12_job_crashing|46_job_crashing_no_longer_exists)$/u,
    group: "12_job_crashing",
  },
];

/** Causes, where the answers leave no doubt: the suite has statements only. */
export const CAUSES: Readonly<Record<string, { object: string; category: string; cause: string }>> = {
  "test_ask_holmes/21_job_fail_curl_no_svc_account": {
    object: "job/get-data",
    category: "dependency",
    cause: "host_not_resolved",
  },
  "test_ask_holmes/36_argocd_find_resource": {
    object: "application/demo-app",
    category: "configuration",
    cause: "wrong_namespace",
  },
  "test_ask_holmes/37_argocd_wrong_namespace": {
    object: "application/demo-app",
    category: "configuration",
    cause: "wrong_namespace",
  },
  "test_investigate/02_crashloop_backoff": {
    object: "pod/logging-agent",
    category: "configuration",
    cause: "command_not_found",
  },
  "test_investigate/12_KubePodNotReady": {
    object: "pod/user-profile-resources",
    category: "resource_exhaustion",
    cause: "insufficient_gpu",
  },
};

/** Of tools whose name does not say enough. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  kubectl_describe: "Describes one object: kubectl describe KIND NAME -n NAMESPACE",
  kubectl_find_resource: "Finds objects of a kind whose line of kubectl get -A contains a keyword",
  kubectl_get_by_kind_in_namespace: "kubectl get KIND -n NAMESPACE -o wide",
  kubectl_events: "Lists events",
  kubectl_lineage_children: "Lists what an object owns",
  fetch_pod_logs: "Reads the logs of a pod",
  kubectl_previous_logs: "Reads the logs of the container that ran before",
  kubectl_previous_logs_all_containers: "Reads the logs of all containers that ran before",
  fetch_finding_by_id: "Reads the alert by its id",
};
