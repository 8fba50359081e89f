/** Clones of the three benchmarks with odd and hostile content: files for `benchmarkClone`. */

type Files = Readonly<Record<string, unknown>>;

export const ASK = "tests/llm/fixtures/test_ask_holmes";
const OK = { status: "success", error: null };

/** A recording of HolmesGPT: of any call without `params`. */
function recorded(
  tool: string,
  text: string,
  { params = null, eol = "\n" }: { params?: object | null; eol?: string } = {},
) {
  const head = { toolset_name: "kubernetes/core", tool_name: tool, match_params: params };
  return [JSON.stringify(head), JSON.stringify(OK), text].join(eol);
}

function holmesCase(name: string, test: string, recordings: Files): Files {
  const files = Object.entries(recordings).map(([file, text]) => [`${ASK}/${name}/${file}`, text] as const);
  return {
    [`${ASK}/${name}/test_case.yaml`]: test.replace("Why", `Why ${name}`),
    ...Object.fromEntries(files),
  };
}

const ASKED = "user_prompt: Why?\nexpected_output: [it is full]\n";

/** Each case has one oddity, which its name says. */
export const HOLMES_FILES: Files = {
  ...holmesCase("01_mark_and_crlf", `\uFEFF${ASKED.replaceAll("\n", "\r\n")}`, {
    "a.txt": `\uFEFF${recorded("describe", "disk full\r\nreally\r\n", { params: { name: "a" }, eol: "\r\n" })}`,
  }),
  ...holmesCase("02_cut_recording", ASKED, { "a.txt": recorded("describe", "").split("\n")[0] }),
  ...holmesCase("03_path_outside", ASKED, {
    "a.txt": recorded("describe", "disk full"),
  }),
  ...holmesCase("04_link_outside", `${ASKED}include_files: [link.md]\n`, {
    "a.txt": recorded("describe", "disk full"),
  }),
  ...holmesCase("05_bare_values", "user_prompt: 71305\nexpected_output: [5, true]\n", {
    "a.txt": recorded("describe", "five"),
  }),
  ...holmesCase("06_odd_names", "user_prompt: Was ist größer? 🔥\nexpected_output: ['die größe']\n", {
    "a.txt": recorded("describe it/now", "größe: übervoll", { params: { name: "größe" } }).replace(
      "kubernetes/core",
      "meine tools/ümlaut",
    ),
  }),
  ...holmesCase("07_not_storable", 'user_prompt: "Why\\0?"\nexpected_output: [it is full]\n', {
    "a.txt": recorded("describe", "disk\u0000 full", { params: { name: "a\u0000\uD800" } }),
  }),
  ...holmesCase("08_nothing", "user_prompt: Why?\nexpected_output: []\n", {
    "a.txt": recorded("describe", "", { params: {} }),
    "b.txt": "",
  }),
  ...holmesCase("09_names_of_objects", ASKED, {
    "a.txt": recorded("describe", "disk full").replace(
      '"match_params":null',
      '"match_params":{"__proto__":"x","constructor":"y"}',
    ),
  }),
  ...holmesCase("10_another_json", ASKED, {
    "a.txt": '{"foo":1}\n{}\nx',
    "b.txt": recorded("describe", "disk full"),
  }),
  ...holmesCase("11_secret", ASKED, {
    "a.txt": recorded("describe", "password: hunter2-is-not-it\ndisk: completely-full"),
  }),
  ...holmesCase(
    "12_same_call",
    ASKED,
    Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `${at}.txt`,
        recorded("describe", `answer ${at}`, { params: { n: 1 } }),
      ]),
    ),
  ),
  ...holmesCase("13_large", ASKED, { "a.txt": recorded("describe", "ü".repeat(700_000)) }),
};

const SYNTHETIC = "tests/synthetic/eks";

function openSreCase(
  name: string,
  given: { readonly scenario?: string; readonly alert?: object; readonly pods?: unknown } = {},
): Files {
  const { alert = { title: `Down: ${name}`, commonLabels: {}, commonAnnotations: {} } } = given;
  const directory = `${SYNTHETIC}/${name}`;
  return {
    [`${directory}/scenario.yml`]:
      given.scenario ?? "failure_mode: oom_killed\nworkload_name: pay\navailable_evidence: [eks_pods]\n",
    [`${directory}/answer.yml`]: "root_cause_category: resource_exhaustion\n",
    [`${directory}/alert.json`]: alert,
    [`${directory}/eks_pods.json`]: given.pods ?? { reason: "memory-is-used-up" },
  };
}

export const OPENSRE_FILES: Files = {
  ...openSreCase("001-telling", {
    alert: {
      title: "[Synthetic-EKS] Down: 001",
      commonLabels: { failure_mode: "oom_killed", pipeline_name: "x", service: "pay" },
      commonAnnotations: { failureMode: "oom_killed", rds_failure_mode: "oom_killed", summary: "it is down" },
    },
  }),
  ...openSreCase("002-base-outside", {
    scenario: "base: ../../../../private\nfailure_mode: x\navailable_evidence: []\n",
  }),
  ...openSreCase("003-mark", {
    scenario: "\uFEFFfailure_mode: oom\r\nworkload_name: pay\r\navailable_evidence: [eks_pods]\r\n",
    pods: '\uFEFF{"reason":"memory-is-used-up"}',
  }),
  ...openSreCase("004-list", { pods: [1, 2] }),
  ...openSreCase("005-numbers", {
    pods: '{"reason":"memory-is-used-up","n":1.0,"big":12345678901234567890,"n":2.50}',
  }),
  ...openSreCase("006-link-outside", {
    scenario: "failure_mode: x\nworkload_name: pay\navailable_evidence: [eks_events]\n",
  }),
  ...openSreCase("007-of-nothing", { scenario: "failure_mode: x\navailable_evidence: [eks_pods]\n" }),
};

const metaOf = (name: string) => ({
  namespace: "boutique",
  query: `Service Availability Disruption ${name}.`,
  result: { fault_taxonomy: "Runtime_Fault", fault_object: "app/cart", root_cause: "oom_killed" },
});
const AT = { collection_timestamp: "2026-03-03T10:00:00" };

function cloudCase(name: string, cache: unknown, meta: unknown = metaOf(name)): Files {
  const directory = `benchmark/boutique/x/${name}`;
  return { [`${directory}/metadata.json`]: meta, [`${directory}/tool_cache.json`]: cache };
}

export const CLOUD_FILES: Files = {
  ...cloudCase("1", {
    ...AT,
    'GetResources:{"resource_type":"pods","namespace":"boutique"}': "NAME  REASON\r\ncart-1  OOMKilled\r\n",
    'GetResources:{"resource_type":"pod","namespace":"boutique"}': "of another minute",
  }),
  ...cloudCase("01", { ...AT, "GetAlerts:{}": "zero one" }),
  ...cloudCase("2", { "GetAlerts:{}": "at no time" }),
  ...cloudCase("3", { ...AT, "NewTool:{}": "x" }),
  ...cloudCase("4", { ...AT, "GetAlerts:{": "x", 'GetAppYAML:{"app_name":"a"': "y" }),
  ...cloudCase("5", AT, { namespace: "boutique" }),
  ...cloudCase(
    "6",
    `\uFEFF${JSON.stringify({ ...AT, "GetAlerts:{}": null })}`,
    `\uFEFF${JSON.stringify(metaOf("6"))}`,
  ),
  ...cloudCase("7", { ...AT, 'GetAppYAML:{"app_name":"a\\u0000b"}': "y\u0000" }),
  ...cloudCase("8", {
    ...AT,
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`GetAppYAML:{"app_name":"a${at}"}`, "y".repeat(900_000)]),
    ),
  }),
  ...cloudCase("9", {
    ...AT,
    ...Object.fromEntries(
      Array.from({ length: 5_001 }, (_, at) => [`GetAppYAML:{"app_name":"a${at}"}`, "y"]),
    ),
  }),
};
